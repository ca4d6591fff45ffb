// SPDX-License-Identifier: Apache-2.0
#include "driver/requests/score.h"

#include "base/json/json.h"
#include "driver/score/ask_judge.h"
#include "driver/score/rewards_of.h"

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

Result<ScoreReport> marked(const Job& job, const ScoreRequest& request, const rubric::RubricVersion& rubric,
                           ScoreSubject subject) {
  ScoreReport report;
  STITCH_ASSIGN(report.score, mark(job, request, rubric, subject));
  report.facts = std::move(subject.facts);
  return report;
}

}  // namespace

Result<ScoreReport> score(const ScoreRequest& request, const Services& services) {
  Job job(request.options, services);
  STITCH_ASSIGN(const rubric::RubricVersion rubric, rubric::read_rubric(job.resources().rubrics() / request.rubric));
  STITCH_ASSIGN(ScoreSubject subject, gather_facts(job, request, !request.by_judge_alone));
  return marked(job, request, rubric, std::move(subject));
}

Result<ScoreReport> mark_judged(Job& job, const ScoreRequest& request, const CandidateVerdict& verdict,
                                const evaluate::LaunchLedger& launches) {
  STITCH_ASSIGN(const rubric::RubricVersion rubric, rubric::read_rubric(job.resources().rubrics() / request.rubric));
  STITCH_ASSIGN(ScoreSubject subject, gather_facts(job, request, verdict, launches));
  return marked(job, request, rubric, std::move(subject));
}

Json rewards_of(const ScoreReport& report) { return rewards_of(report.facts, report.score); }

}  // namespace stitch::driver
