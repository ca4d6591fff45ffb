// SPDX-License-Identifier: Apache-2.0
#include "driver/requests/score.h"

#include <fmt/format.h>

#include "base/fs/files.h"
#include "base/json/json.h"
#include "cli/commands/commands.h"
#include "cli/commands/judge_endpoint.h"
#include "cli/options/request.h"

namespace stitch::cli {
namespace {

Result<driver::ScoreRequest> request_of(const CommandLine& line) {
  driver::ScoreRequest request;
  STITCH_ASSIGN(request.options, options_of(line));
  request.by_judge_alone = line.rubric == "judge";
  request.rubric = request.by_judge_alone ? request.rubric : line.rubric;
  request.folder = line.file;
  request.candidate.task = task_of(line, line.program);
  request.candidate.candidate = line.candidate;
  request.feedback = line.feedback;
  request.previous = line.previous;
  request.skill = line.skill;
  if (!line.judge_url.empty()) {
    request.judge = [url = line.judge_url, model = line.judge_model](const std::string& prompt) {
      return ask_endpoint(url, model, prompt);
    };
  }
  return request;
}

std::filesystem::path place_of(const CommandLine& line) {
  if (!line.out.empty()) {
    return line.out;
  }
  return line.candidate.empty() ? std::filesystem::path(line.file) / "score.json" : "score.json";
}

Result<int> fail_visibly(const rubric::Score& score, const CommandLine& line) {
  return failure(ErrorCode::kEnvironment, "the judge was to mark alone and gave no marks: " + score.judge_failure,
                 line.judge_url, "see that the endpoint answers, or leave out --rubric judge");
}

}  // namespace

Result<int> run_score(Invocation& invocation) {
  const CommandLine& line = invocation.line();
  STITCH_ASSIGN(const driver::ScoreRequest request, request_of(line));
  STITCH_ASSIGN(const driver::ScoreReport found, driver::score(request, invocation.services()));
  Json json = to_json(found.score);
  json["task"] = task_name(line.program.empty() ? line.file : line.program);
  json["facts"] = to_json(found.facts);
  json["seed"] = found.facts.verdict.has_value() ? Json(request.options.seed) : Json();
  json["rewards"] = rewards_of(found);
  const std::filesystem::path place = place_of(line);
  STITCH_TRY(write_file(place, json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n"));
  if (request.by_judge_alone && !found.score.total.has_value()) {
    return fail_visibly(found.score, line);
  }
  json["out"] = place.string();
  std::string text = to_text(found.score);
  const std::optional<Verdict>& verdict = found.facts.verdict;
  if (verdict.has_value()) {
    text = fmt::format("verdict {}: {}\nthe same draws again: --seed {}\n{}", to_string(verdict->kind), verdict->reason,
                       request.options.seed, text);
  }
  invocation.reporter().result(json, text);
  return !verdict.has_value() || verdict->kind == VerdictKind::kOk ? 0 : 1;
}

}  // namespace stitch::cli
