// SPDX-License-Identifier: Apache-2.0
// Marks a program by the rubric: a program of ours, or a candidate from elsewhere.
#include <fmt/format.h>

#include "artifact/task/task.h"
#include "base/fs/files.h"
#include "base/json/json.h"
#include "cli/commands/commands.h"
#include "cli/options/request.h"
#include "driver/score/ask_judge.h"
#include "driver/score/gather_facts.h"
#include "rubric/rewards/reward.h"

namespace stitch::cli {
namespace {

// What is not known stays away: without measured times a profile that needs them says so.
Json rewards_of(const rubric::Facts& facts, const rubric::Score& score) {
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

driver::ScoreRequest request_of(const CommandLine& line) {
  driver::ScoreRequest request;
  request.folder = line.file;
  request.candidate.task = task_of(line, line.program);
  request.candidate.candidate = line.candidate;
  request.feedback = line.feedback;
  request.previous = line.previous;
  request.skill = line.skill;
  request.judge_url = line.judge_url;
  request.judge_model = line.judge_model;
  return request;
}

std::filesystem::path place_of(const CommandLine& line) {
  if (!line.out.empty()) {
    return line.out;
  }
  return line.candidate.empty() ? std::filesystem::path(line.file) / "score.json" : "score.json";
}

Result<rubric::Score> mark(const driver::Job& job, const CommandLine& line, const driver::ScoreRequest& request,
                           const rubric::RubricVersion& rubric, const driver::ScoreSubject& subject) {
  if (line.rubric == "judge") {
    return rubric::score_by_judge(rubric, ask_judge(job, rubric, request, subject));
  }
  rubric::Score score = rubric::score(subject.facts, rubric);
  if (!line.judge_url.empty()) {
    rubric::consult(score, ask_judge(job, rubric, request, subject));
  }
  return score;
}

Result<int> fail_visibly(const rubric::Score& score, const CommandLine& line) {
  return failure(ErrorCode::kEnvironment, "the judge was to mark alone and gave no marks: " + score.judge_failure,
                 line.judge_url, "see that the endpoint answers, or leave out --rubric judge");
}

}  // namespace

Result<int> run_score(Session& session) {
  const CommandLine& line = session.line();
  STITCH_ASSIGN(driver::Options options, options_of(line));
  driver::Job job(std::move(options), session.services());
  const driver::ScoreRequest request = request_of(line);
  const bool by_judge_alone = line.rubric == "judge";
  const std::string version = by_judge_alone ? CommandLine{}.rubric : line.rubric;
  STITCH_ASSIGN(const rubric::RubricVersion rubric, rubric::read_rubric(job.resources().rubrics() / version));
  STITCH_ASSIGN(const driver::ScoreSubject subject, gather_facts(job, request, !by_judge_alone));
  STITCH_ASSIGN(const rubric::Score score, mark(job, line, request, rubric, subject));
  Json json = to_json(score);
  json["task"] = task_name(line.program.empty() ? line.file : line.program);
  json["facts"] = to_json(subject.facts);
  json["rewards"] = rewards_of(subject.facts, score);
  const std::filesystem::path place = place_of(line);
  STITCH_TRY(write_file(place, json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n"));
  if (by_judge_alone && !score.total.has_value()) {
    return fail_visibly(score, line);
  }
  json["out"] = place.string();
  std::string text = to_text(score);
  if (subject.facts.verdict.has_value()) {
    text =
        fmt::format("verdict {}: {}\n{}", to_string(subject.facts.verdict->kind), subject.facts.verdict->reason, text);
  }
  session.reporter().result(json, text);
  return !subject.facts.verdict.has_value() || subject.facts.verdict->kind == VerdictKind::kOk ? 0 : 1;
}

}  // namespace stitch::cli
