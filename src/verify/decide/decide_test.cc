// SPDX-License-Identifier: Apache-2.0
#include "verify/decide/decide.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <random>
#include <sstream>

namespace stitch::verify {
namespace {

constexpr VerdictKind kKinds[] = {VerdictKind::kCheated,  VerdictKind::kBuildFailed, VerdictKind::kUnsupported,
                                  VerdictKind::kCrashed,  VerdictKind::kTimedOut,    VerdictKind::kWrong,
                                  VerdictKind::kIllConditioned, VerdictKind::kInvalidTime};
constexpr Stage kStages[] = {Stage::kRead,  Stage::kBuild,  Stage::kInspect,   Stage::kDraws, Stage::kChecked,
                             Stage::kCalls, Stage::kSource, Stage::kFramework, Stage::kTiming};

// The order of precedence in words of its own: the test's, not the code's.
int place_of(const Finding& finding) {
  const bool by_source = finding.stage == Stage::kSource;
  switch (finding.kind) {
    case VerdictKind::kCheated:
      return finding.stage == Stage::kFramework ? 10 : by_source ? 2 : 1;
    case VerdictKind::kBuildFailed:
      return by_source ? 3 : 4;
    case VerdictKind::kUnsupported:
      return 5;
    case VerdictKind::kCrashed:
      return 6;
    case VerdictKind::kTimedOut:
      return 7;
    case VerdictKind::kWrong:
      return 8;
    case VerdictKind::kIllConditioned:
      return 9;
    case VerdictKind::kInvalidTime:
      return 11;
    default:
      return 99;
  }
}

Finding found(Stage stage, VerdictKind kind) {
  return {stage, kind, fmt::format("{} by {}", to_string(kind), to_string(stage)), "evidence"};
}

std::vector<Finding> every_finding() {
  std::vector<Finding> all;
  for (const Stage stage : kStages) {
    for (const VerdictKind kind : kKinds) {
      all.push_back(found(stage, kind));
    }
  }
  return all;
}

Proof whole_proof() {
  Proof proof;
  proof.shapes = {{.shape = "declared shapes", .planned = 20, .judged = 20},
                  {.shape = "hidden", .planned = 2, .judged = 1, .told = 1}};
  proof.checked = {.planned = 1, .judged = 1};
  return proof;
}

Verdict decided(std::vector<Finding> list) {
  Findings findings;
  findings.list = std::move(list);
  findings.proof = whole_proof();
  findings.acceptance = "22 draws";
  return decide(findings);
}

bool is_replaced(const Finding& one, const Finding& by) {
  return one.stage == Stage::kDraws && by.stage == Stage::kChecked;
}

// Of two findings, which decides.
const Finding& expected(const Finding& one, const Finding& other) {
  if (is_replaced(one, other) || is_replaced(other, one)) {
    return is_replaced(one, other) ? other : one;
  }
  if (place_of(one) != place_of(other)) {
    return place_of(one) < place_of(other) ? one : other;
  }
  return one.stage <= other.stage ? one : other;
}

TEST(Decide, OneFindingDecides) {
  for (const Finding& each : every_finding()) {
    const Verdict verdict = decided({each});
    EXPECT_EQ(verdict.kind, each.kind);
    EXPECT_EQ(verdict.reason, each.reason);
    EXPECT_EQ(verdict.detail, "evidence");
  }
}

// All kinds with all kinds, from every stage and in both orders.
TEST(Decide, OfEveryPairTheFirstOfTheTableDecides) {
  const std::vector<Finding> all = every_finding();
  for (const Finding& one : all) {
    for (const Finding& other : all) {
      const Verdict verdict = decided({one, other});
      const Finding& wanted = expected(one, other);
      ASSERT_EQ(verdict.reason, wanted.reason) << one.reason << " and " << other.reason;
      ASSERT_EQ(verdict.kind, wanted.kind);
    }
  }
}

TEST(Decide, TheOrderOfFindingsDoesNotMatter) {
  std::mt19937 random(17);
  const std::vector<Finding> all = every_finding();
  for (int round = 0; round < 200; ++round) {
    std::vector<Finding> some;
    const size_t count = 2 + random() % 6;
    for (size_t i = 0; i < count; ++i) {
      some.push_back(all[random() % all.size()]);
      some.back().reason += fmt::format(" {}", random() % 3);
      some.back().evidence = fmt::format("{}", random() % 3);
    }
    const Verdict first = decided(some);
    std::shuffle(some.begin(), some.end(), random);
    const Verdict again = decided(some);
    ASSERT_EQ(again.kind, first.kind) << round;
    ASSERT_EQ(again.reason, first.reason) << round;
    ASSERT_EQ(again.detail, first.detail) << round;
  }
}

TEST(Decide, OfOneRowAndStageTheFirstByItsWords) {
  Finding early = found(Stage::kDraws, VerdictKind::kWrong);
  early.reason = "a";
  Finding late = early;
  late.reason = "b";
  EXPECT_EQ(decided({late, early}).reason, "a");
  EXPECT_EQ(decided({early, late}).reason, "a");
  late.reason = "a";
  late.evidence = "more";
  EXPECT_EQ(decided({late, early}).detail, "evidence");
  EXPECT_EQ(decided({early, late}).detail, "evidence");
}

// A checked draw speaks for the draws beside it alone, and only where it found something.
TEST(Decide, ACheckedDrawReplacesTheDrawsBesideIt) {
  const Finding overrun = found(Stage::kChecked, VerdictKind::kCrashed);
  const Finding tampered = found(Stage::kDraws, VerdictKind::kCheated);
  EXPECT_EQ(decided({tampered, overrun}).reason, overrun.reason);
  EXPECT_EQ(decided({tampered}).reason, tampered.reason);
  const Finding called = found(Stage::kCalls, VerdictKind::kCheated);
  EXPECT_EQ(decided({tampered, overrun, called}).reason, called.reason);
}

TEST(Decide, OkNeedsAWholeProof) {
  const Verdict verdict = decided({});
  EXPECT_EQ(verdict.kind, VerdictKind::kOk);
  EXPECT_EQ(verdict.reason, "22 draws");
  EXPECT_EQ(decide({}).kind, VerdictKind::kUndecided);
}

// No finding can accept.
TEST(Decide, AFindingForOkAcceptsNothing) {
  for (const VerdictKind kind : {VerdictKind::kOk, VerdictKind::kUndecided}) {
    EXPECT_EQ(decided({found(Stage::kDraws, kind)}).kind, VerdictKind::kUndecided);
    EXPECT_EQ(decided({found(Stage::kDraws, kind), found(Stage::kTiming, VerdictKind::kInvalidTime)}).kind,
              VerdictKind::kInvalidTime);
  }
}

struct Lacking {
  const char* what;
  void (*spoil)(Proof&);
};
constexpr Lacking kLacking[] = {
    {"there was no shape to judge it at", [](Proof& proof) { proof.shapes.clear(); }},
    {"nothing was to be drawn at declared shapes",
     [](Proof& proof) { proof.shapes[0] = {.shape = "declared shapes"}; }},
    {"nothing was to be drawn at hidden", [](Proof& proof) { proof.shapes[1] = {.shape = "hidden"}; }},
    {"19 of 20 draws were judged at declared shapes", [](Proof& proof) { proof.shapes[0].judged = 19; }},
    {"21 of 20 draws were judged at declared shapes", [](Proof& proof) { proof.shapes[0].judged = 21; }},
    {"1 of 2 draws were judged at hidden", [](Proof& proof) { proof.shapes[1].told = 0; }},
    {"no draw was judged at declared shapes",
     [](Proof& proof) {
       proof.shapes[0].judged = 0;
       proof.shapes[0].told = 20;
     }},
    {"no draw was judged at declared shapes",
     [](Proof& proof) {
       proof.shapes[0].refusal = "an index is too large";
       proof.shapes[0].judged = 0;
     }},
    {"no draw was checked, and nobody said why", [](Proof& proof) { proof.checked = {}; }},
    {"0 of 1 checked draws were judged", [](Proof& proof) { proof.checked.judged = 0; }},
    {"2 of 1 checked draws were judged", [](Proof& proof) { proof.checked.judged = 2; }},
};

TEST(Decide, AProofThatLacksAnythingIsUndecided) {
  for (const Lacking& each : kLacking) {
    Findings findings;
    findings.proof = whole_proof();
    each.spoil(findings.proof);
    const Verdict verdict = decide(findings);
    EXPECT_EQ(verdict.kind, VerdictKind::kUndecided) << each.what;
    EXPECT_EQ(verdict.reason, each.what);
    findings.add(found(Stage::kDraws, VerdictKind::kWrong));
    EXPECT_EQ(decide(findings).kind, VerdictKind::kWrong) << each.what;
  }
}

TEST(Decide, WhatIsToldMayBeMissing) {
  Findings findings;
  findings.proof = whole_proof();
  findings.proof.shapes[1] = {.shape = "hidden", .refusal = "an index is too large"};
  EXPECT_EQ(decide(findings).kind, VerdictKind::kOk);
  findings.proof.checked = {.absence = "a GPU has no sanitizers"};
  EXPECT_EQ(decide(findings).kind, VerdictKind::kOk);
  findings.proof.checked = {.planned = 1, .told = 1};
  EXPECT_EQ(decide(findings).kind, VerdictKind::kOk);
}

TEST(Decide, WhatWasOnlyToBeBuiltNeedsNoDraw) {
  Findings findings;
  findings.proof.builds_only = true;
  EXPECT_EQ(decide(findings).kind, VerdictKind::kOk);
  findings.add(found(Stage::kBuild, VerdictKind::kBuildFailed));
  EXPECT_EQ(decide(findings).kind, VerdictKind::kBuildFailed);
}

TEST(Decide, RemarksBelongToTheirKinds) {
  Findings findings;
  findings.proof = whole_proof();
  findings.sandbox = "none: --unsafe-no-sandbox";
  findings.remarks = {{"class clean\n", {VerdictKind::kOk, VerdictKind::kCheated}}, {"reads a clock\n"}};
  EXPECT_EQ(decide(findings).detail, "class clean\nreads a clock\n");
  EXPECT_EQ(decide(findings).sandbox, findings.sandbox);
  findings.add(found(Stage::kDraws, VerdictKind::kWrong));
  EXPECT_EQ(decide(findings).detail, "evidencereads a clock\n");
  EXPECT_EQ(decide(findings).sandbox, findings.sandbox);
  findings.add(found(Stage::kCalls, VerdictKind::kCheated));
  EXPECT_EQ(decide(findings).detail, "evidenceclass clean\nreads a clock\n");
}

// docs/verdicts.md holds this table; a change of the code is a change of the page.
TEST(Decide, ThePageShowsTheTable) {
  std::ifstream page(std::string(STITCH_SOURCE_DIR) + "/docs/verdicts.md");
  std::stringstream text;
  text << page.rdbuf();
  std::string table;
  int number = 0;
  for (const PrecedenceRow& row : precedence()) {
    std::string stages;
    for (const Stage stage : row.stages) {
      stages += (stages.empty() ? "" : ", ") + std::string(to_string(stage));
    }
    table += fmt::format("| {} | `{}` | {} | {} |\n", ++number, to_string(row.kind), stages.empty() ? "any" : stages,
                         row.why);
  }
  EXPECT_NE(text.str().find(table), std::string::npos) << "docs/verdicts.md should hold:\n" << table;
}

}  // namespace
}  // namespace stitch::verify
