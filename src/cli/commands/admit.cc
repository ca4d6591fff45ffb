// SPDX-License-Identifier: Apache-2.0
#include "driver/requests/admit.h"

#include <fmt/format.h>

#include "base/json/json.h"
#include "cli/commands/commands.h"
#include "cli/options/request.h"

namespace stitch::cli {
namespace {

const char* word(verify::NullOutcome outcome) {
  switch (outcome) {
    case verify::NullOutcome::kRefused:
      return "refused";
    case verify::NullOutcome::kPassed:
      return "PASSES";
    case verify::NullOutcome::kSilent:
      break;
  }
  return "says nothing";
}

// What does not apply is counted only: most programs have no noise and no square output.
std::string table(const verify::AdmissionReport& report) {
  std::string text = "| null candidate | | KernelBench's rule | |\n|---|---|---|---|\n";
  for (const verify::NullResult& each : report.nulls) {
    if (each.outcome != verify::NullOutcome::kSilent) {
      text += fmt::format("| {} | {} | {} | {} |\n", each.null.number, each.null.about,
                          each.kernelbench_takes_it ? "takes it" : "refuses it", word(each.outcome));
    }
  }
  return text;
}

std::string text_of(const driver::TaskAdmission& admission) {
  const verify::AdmissionReport& report = admission.report;
  std::string text = table(report);
  for (const std::string& question : report.unasked) {
    text += "A verdict cannot ask for " + question + ".\n";
  }
  for (const std::string& note : report.notes) {
    text += note + "\n";
  }
  return text + fmt::format("{} ({} say nothing here; {})", report.message(),
                            report.count(verify::NullOutcome::kSilent),
                            admission.is_cached ? "known from before"
                                                : fmt::format("{} draws, {:.1f} s", report.draws, report.seconds));
}

}  // namespace

Result<int> run_admit(Invocation& invocation) {
  const CommandLine& line = invocation.line();
  driver::AdmitRequest request;
  request.task = task_of(line, line.file);
  STITCH_ASSIGN(request.options, options_of(line));
  request.seed = line.seed.value_or(request.seed);
  STITCH_ASSIGN(const driver::AdmitReport found, driver::admit(request, invocation.services()));
  invocation.reporter().result(Json{{"schema", "stitchcuda.admit/1"},
                                    {"task", task_name(line.file)},
                                    {"math", to_string(line.math)},
                                    {"sizes", describe(found.sizes)},
                                    {"admission", to_json(found.admission)}},
                               text_of(found.admission));
  return found.admission.report.status == verify::AdmissionStatus::kAdmitted ? 0 : 1;
}

}  // namespace stitch::cli
