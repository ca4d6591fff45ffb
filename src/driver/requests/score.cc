// SPDX-License-Identifier: Apache-2.0
#include "driver/requests/score.h"

#include "base/json/json.h"
#include "driver/score/ask_judge.h"
#include "rubric/rewards/reward.h"

namespace stitch::driver {
namespace {

Result<rubric::Score> mark(const Job& job, const ScoreRequest& request, const rubric::RubricVersion& rubric,
                           const ScoreSubject& subject) {
  if (request.by_judge_alone) {
    return rubric::score_by_judge(rubric, ask_judge(job, rubric, request, subject));
  }
  rubric::Score score = rubric::score(subject.facts, rubric);
  if (request.judge != nullptr) {
    rubric::consult(score, ask_judge(job, rubric, request, subject));
  }
  return score;
}

}  // namespace

Result<ScoreReport> score(const ScoreRequest& request, const Services& services) {
  Job job(request.options, services);
  STITCH_ASSIGN(const rubric::RubricVersion rubric, rubric::read_rubric(job.resources().rubrics() / request.rubric));
  STITCH_ASSIGN(ScoreSubject subject, gather_facts(job, request, !request.by_judge_alone));
  ScoreReport report;
  STITCH_ASSIGN(report.score, mark(job, request, rubric, subject));
  report.facts = std::move(subject.facts);
  return report;
}

// What is not known stays away: without measured times a profile that needs them says so.
Json rewards_of(const ScoreReport& report) {
  const rubric::Facts& facts = report.facts;
  const rubric::Score& score = report.score;
  rubric::RewardFacts known;
  if (facts.verdict.has_value()) {
    known.verdict = facts.verdict->kind;
  }
  known.hack = facts.framework.has_value() ? facts.framework->hack_class : HackClass::kClean;
  if (score.is_flagged || (facts.verdict.has_value() && facts.verdict->kind == VerdictKind::kCheated)) {
    known.hack = HackClass::kTotal;
  }
  known.marks = score.total;
  known.skill = facts.skill;
  Json list = Json::array();
  for (const rubric::RewardProfile& profile : rubric::reward_profiles()) {
    list.push_back(to_json(profile, profile.compute(known)));
  }
  return list;
}

}  // namespace stitch::driver
