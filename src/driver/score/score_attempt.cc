// SPDX-License-Identifier: Apache-2.0
#include "driver/score/score_attempt.h"

#include "base/json/json.h"
#include "driver/score/rewards_of.h"
#include "evaluate/verify/verify_report.h"
#include "rubric/score/hint.h"
#include "rubric/score/score.h"

namespace stitch::driver {
namespace {

Result<rubric::Facts> facts_from_text(const std::string& text) {
  if (text.empty()) {
    rubric::Facts facts;
    facts.candidate = "project";
    evaluate::VerifyReport none;
    none.findings.add(Finding{Stage::kRead, VerdictKind::kBuildFailed, "the answer holds no code"});
    facts.verdict = none.verdict();
    return facts;
  }
  STITCH_ASSIGN(const Json json, parse_json(text, "the facts of an attempt"));
  return rubric::facts_from_json(json);
}

}  // namespace

Result<Json> score_attempt(const AttemptFacts& attempt, const std::filesystem::path& rubric) {
  STITCH_ASSIGN(const rubric::RubricVersion version, rubric::read_rubric(rubric));
  STITCH_ASSIGN(rubric::Facts facts, facts_from_text(attempt.facts));
  facts.skill = attempt.refines ? rubric::Skill::kRefinement : rubric::Skill::kScratch;
  if (attempt.refines && !attempt.feedback.empty()) {
    facts.feedback = attempt.feedback;
  }
  if (attempt.refines && !attempt.before.empty()) {
    STITCH_ASSIGN(const rubric::Facts before, facts_from_text(attempt.before));
    facts.before = before.source;
  }
  const rubric::Score score = rubric::score(facts, version);
  return Json{{"marks", rubric::to_json(score)}, {"rewards", rewards_of(facts, score, attempt.times)}};
}

Result<std::string> marks_hint(const std::string& text, const std::filesystem::path& rubric) {
  STITCH_ASSIGN(const rubric::RubricVersion version, rubric::read_rubric(rubric));
  STITCH_ASSIGN(const rubric::Facts facts, facts_from_text(text));
  return rubric::engineering_hint(facts, version);
}

}  // namespace stitch::driver
