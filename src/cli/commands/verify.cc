// SPDX-License-Identifier: Apache-2.0
#include "driver/requests/verify.h"

#include <fmt/format.h>

#include "artifact/report/feedback.h"
#include "base/json/json.h"
#include "cli/commands/commands.h"
#include "cli/options/request.h"
#include "driver/requests/public_check.h"

namespace stitch::cli {
namespace {

// What the verdict is worth, on a line of its own, where the task takes an answer without the work.
std::string worth_of(const driver::CandidateVerdict& candidate) {
  const bool is_worth_it =
      !candidate.admission.has_value() || candidate.admission->report.status == verify::AdmissionStatus::kAdmitted;
  return is_worth_it ? "" : "\n" + candidate.admission->report.message();
}

// What a person should look at, whatever the verdict.
std::string looks_of(const driver::CandidateVerdict& candidate) {
  constexpr size_t kMaxPlaces = 8;
  std::string lines;
  size_t count = 0;
  for (const SourceFact& fact : candidate.source.facts) {
    if (fact.audit && ++count <= kMaxPlaces) {
      lines += "\nlook at " + fact.message();
    }
  }
  lines += count > kMaxPlaces ? fmt::format("\nand at {} more places, see --json", count - kMaxPlaces) : "";
  for (const std::string& sentence : candidate.source.unread) {
    lines += "\n" + sentence;
  }
  return lines;
}

Json score_json(const driver::ScoreReport& marked) {
  Json json = to_json(marked.score);
  json["facts"] = to_json(marked.facts);
  json["rewards"] = rewards_of(marked);
  return json;
}

Result<int> run_public_check(Invocation& invocation, driver::Options options) {
  const CommandLine& line = invocation.line();
  STITCH_ASSIGN(const driver::PublicCheckReport found,
                driver::public_check({line.file, line.step, std::move(options)}, invocation.services()));
  Json json = to_json(found.check);
  json["task"] = task_name(line.file);
  json["device"] = to_string(found.device);
  invocation.reporter().result(json, driver::describe(found.check));
  return found.check.outcome == driver::PublicOutcome::kPassed ? 0 : 1;
}

}  // namespace

Result<int> run_verify(Invocation& invocation) {
  const CommandLine& line = invocation.line();
  STITCH_ASSIGN(driver::Options options, options_of(line));
  if (line.public_check) {
    return run_public_check(invocation, std::move(options));
  }
  driver::VerifyRequest request{
      line.file, line.step, {task_of(line, line.program), line.candidate, line.admitted_only}, std::move(options)};
  if (line.with_score) {
    driver::ScoreRequest& score = request.score.emplace();
    score.candidate = request.candidate;
    score.feedback = line.feedback;
    score.previous = line.previous;
    score.skill = line.skill;
  }
  STITCH_ASSIGN(const driver::VerifyReport found, driver::verify(request, invocation.services()));
  const driver::CandidateVerdict& candidate = found.candidate;
  const evaluate::EvaluateReport& report = candidate.report;
  Json json = {{"schema", "stitchcuda.verify/1"},
               {"task", task_name(line.candidate.empty() ? line.file : line.program)},
               {"device", to_string(found.device)},
               {"seed", evaluate::seed_json(report.verify)},
               {"verdict", to_json(report.verify.verdict())},
               {"error_ratio", report.verify.error_ratio},
               {"report", evaluate::to_json(report.verify)}};
  // What its author may be told, where the rest of this answer is kept from them.
  json["feedback"] = feedback(report.verify.verdict(), report.verify.error_ratio);
  if (!line.candidate.empty()) {
    json["candidate"] = to_json(candidate);
    json["measured"] = candidate.times.has_value() ? to_json(*candidate.times) : Json();
  }
  std::string marks;
  if (line.with_score) {
    json["score"] = found.score.has_value() ? score_json(*found.score) : Json();
    marks = found.score.has_value() ? "\n" + to_text(found.score->score) : "";
  }
  json["hints"] = found.hints;
  std::string hinted;
  for (const std::string& hint : found.hints) {
    hinted += "\nhint: " + hint;
  }
  const std::string times = candidate.times.has_value() ? "\n" + describe(*candidate.times) : "";
  const std::string sizes = candidate.reduced.empty() ? "" : " (reduced sizes " + candidate.reduced + ")";
  const std::string again = evaluate::how_to_repeat(report.verify);
  const std::string told = driver::verdict_text(report.verify) + sizes + (again.empty() ? "" : "\n" + again);
  invocation.reporter().result(json, told + hinted + times + worth_of(candidate) + looks_of(candidate) + marks);
  return report.verify.verdict().kind == VerdictKind::kOk ? 0 : 1;
}

}  // namespace stitch::cli
