// SPDX-License-Identifier: Apache-2.0
#include "rubric/score/hint.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "rubric/score/test_facts.h"

namespace stitch::rubric {
namespace {

RubricVersion latest() {
  return std::move(read_rubric(std::filesystem::path(STITCH_SOURCE_DIR) / "rubrics" / "v3")).value();
}

// One thread that reads all it needs, one element at a time; 977 launches are a number that only hidden draws explain.
Facts one_thread() {
  Facts facts = facts_of_product(977, 977, 977);
  facts.verdict = Verdict{VerdictKind::kOk, "21 draws", {}};
  facts.source->idle = {"shared memory that nobody reads"};
  return facts;
}

TEST(EngineeringHint, TellsLowMarksTheLowestFirstWithoutReasons) {
  const std::string hint = engineering_hint(one_thread(), latest());
  EXPECT_EQ(hint.find("parallel_shape: 1 of 5 (Do the launches fill a GPU?)\n"), 0u) << hint;
  EXPECT_NE(hint.find("\ndata_reuse: 2 of 5 ("), std::string::npos) << hint;
  EXPECT_EQ(hint.find("977"), std::string::npos) << hint;
  EXPECT_EQ(hint.find("nobody reads"), std::string::npos) << hint;
}

TEST(EngineeringHint, LooksForNoCheats) {
  Facts facts = one_thread();
  facts.framework = FrameworkFacts{.hack_class = HackClass::kTotal, .share = 1, .left = {"matmul"}, .evidence = "seen"};
  EXPECT_EQ(engineering_hint(facts, latest()), engineering_hint(one_thread(), latest()));
}

TEST(EngineeringHint, OfWhatIsNotRightTellsNothing) {
  for (const VerdictKind kind : {VerdictKind::kWrong, VerdictKind::kCheated, VerdictKind::kCrashed}) {
    Facts facts = one_thread();
    facts.verdict->kind = kind;
    EXPECT_EQ(engineering_hint(facts, latest()), "");
  }
  Facts unknown = one_thread();
  unknown.verdict.reset();
  EXPECT_EQ(engineering_hint(unknown, latest()), "");
}

}  // namespace
}  // namespace stitch::rubric
