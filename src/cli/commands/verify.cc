// SPDX-License-Identifier: Apache-2.0
// Judges what is in a folder now: a program of ours (perhaps with a step edited by hand), or a candidate from
// elsewhere.
#include <fmt/format.h>

#include "artifact/report/feedback.h"
#include "base/fs/files.h"
#include "base/json/json.h"
#include "cli/commands/commands.h"
#include "cli/options/request.h"
#include "driver/judge/judge_folder.h"
#include "driver/outside/ignored_targets_hint.h"
#include "driver/outside/judge_candidate.h"
#include "driver/outside/mode_hint.h"

namespace stitch::cli {
namespace {

// What the verdict is worth, on a line of its own, where the task takes an answer without the work.
std::string worth_of(const driver::CandidateVerdict& candidate) {
  const bool is_worth_it =
      !candidate.admission.has_value() || candidate.admission->report.status == verify::AdmissionStatus::kAdmitted;
  return is_worth_it ? "" : "\n" + candidate.admission->report.sentence();
}

// What a person should look at, whatever the verdict.
std::string looks_of(const driver::CandidateVerdict& candidate) {
  constexpr size_t kMost = 8;
  std::string lines;
  size_t count = 0;
  for (const SourceFact& fact : candidate.source.facts) {
    if (fact.audit && ++count <= kMost) {
      lines += "\nlook at " + fact.sentence();
    }
  }
  return count > kMost ? lines + fmt::format("\nand at {} more places, see --json", count - kMost) : lines;
}

// What its author may have overlooked in the program, where the answer is wrong.
std::vector<std::string> hints_of(const driver::CandidateVerdict& candidate, const std::string& mode) {
  std::vector<std::string> hints;
  if (candidate.report.verify.verdict.kind == VerdictKind::kWrong && candidate.graph.has_value()) {
    hints.push_back(driver::mode_hint(*candidate.graph, mode));
    hints.push_back(driver::ignored_targets_hint(*candidate.graph));
  }
  std::erase(hints, "");
  return hints;
}

}  // namespace

Result<int> run_verify(Session& session) {
  const CommandLine& line = session.line();
  STITCH_ASSIGN(driver::Options options, options_of(line));
  driver::Job job(std::move(options), session.services());
  STITCH_ASSIGN(const toolchain::Toolchain tools, find_compilers(job));
  STITCH_ASSIGN(const DeviceKind device, choose_device(job, tools));
  driver::CandidateVerdict candidate;
  if (line.candidate.empty()) {
    STITCH_ASSIGN(const driver::Folder folder, driver::read_folder(line.file));
    STITCH_ASSIGN(candidate.report, judge_folder(job, tools, folder, device, line.step));
  } else {
    STITCH_ASSIGN(candidate, judge_candidate(job, tools, device,
                                             {task_of(line, line.program), line.candidate, line.admitted_only}));
  }
  const evaluate::EvaluateReport& report = candidate.report;
  Json json = {{"schema", "stitchcuda.verify/1"},
               {"task", task_name(line.candidate.empty() ? line.file : line.program)},
               {"device", to_string(device)},
               {"verdict", to_json(report.verify.verdict)},
               {"error_ratio", report.verify.error_ratio},
               {"report", evaluate::to_json(report.verify)}};
  // What its author may be told, where the rest of this answer is kept from them.
  json["feedback"] = feedback(report.verify.verdict, report.verify.error_ratio);
  if (!line.candidate.empty()) {
    json["candidate"] = to_json(candidate);
    json["measured"] = candidate.times.has_value() ? to_json(*candidate.times) : Json();
  }
  const std::vector<std::string> hints = hints_of(candidate, line.mode);
  json["hints"] = hints;
  std::string hinted;
  for (const std::string& hint : hints) {
    hinted += "\nhint: " + hint;
  }
  const std::string times = candidate.times.has_value() ? "\n" + describe(*candidate.times) : "";
  session.reporter().result(
      json, driver::verdict_text(report.verify) + hinted + times + worth_of(candidate) + looks_of(candidate));
  return report.verify.verdict.kind == VerdictKind::kOk ? 0 : 1;
}

}  // namespace stitch::cli
