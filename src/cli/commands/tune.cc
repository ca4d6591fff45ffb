// SPDX-License-Identifier: Apache-2.0
#include "driver/requests/tune.h"

#include <fmt/format.h>

#include <cmath>

#include "base/fs/files.h"
#include "base/json/json.h"
#include "cli/commands/commands.h"
#include "cli/options/request.h"
#include "driver/requests/export_times.h"
#include "driver/time/tuning.h"

namespace stitch::cli {
namespace {

std::string name_of(const kernels::Setting& setting) {
  return setting.splits > 1 ? fmt::format("{} x{}", setting.variant, setting.splits) : setting.variant;
}

struct Line {
  plan::Alternative candidate;
  bool is_chosen = false;
};

std::vector<Line> lines_of(const plan::Step& step) {
  std::vector<Line> lines = {{{step.setting, step.estimated_us, step.measured_us}, true}};
  for (const plan::Alternative& other : step.alternatives) {
    lines.push_back({other, false});
  }
  std::erase_if(lines, [](const Line& line) { return !line.candidate.measured_us.has_value() && !line.is_chosen; });
  return lines;
}

std::string table(const plan::Plan& plan) {
  std::string text = "| step | setting | measured us | estimated us | |\n|---|---|---|---|---|\n";
  for (const plan::Step& step : plan.steps) {
    for (const Line& line : lines_of(step)) {
      const auto& measured = line.candidate.measured_us;
      text += fmt::format("| {} | {} | {} | {:.1f} | {} |\n", step.name, name_of(line.candidate.setting),
                          !measured.has_value()      ? "-"
                          : std::isfinite(*measured) ? fmt::format("{:.1f}", *measured)
                                                     : "does not run",
                          line.candidate.estimated_us, line.is_chosen ? "chosen" : "");
    }
  }
  return text;
}

Json as_json(const plan::Plan& plan) {
  Json steps = Json::array();
  for (const plan::Step& step : plan.steps) {
    Json settings = Json::array();
    for (const Line& line : lines_of(step)) {
      const auto& measured = line.candidate.measured_us;
      settings.push_back({{"variant", line.candidate.setting.variant},
                          {"splits", line.candidate.setting.splits},
                          {"measured_us", measured.has_value() && std::isfinite(*measured) ? Json(*measured) : Json()},
                          {"estimated_us", line.candidate.estimated_us},
                          {"chosen", line.is_chosen}});
    }
    steps.push_back({{"name", step.name}, {"skeleton", step.skeleton}, {"settings", settings}});
  }
  return steps;
}

Result<int> run_export(Invocation& invocation) {
  const CommandLine& line = invocation.line();
  driver::ExportTimesRequest request{{line.words.begin(), line.words.end()}, line.out};
  STITCH_ASSIGN(const driver::ExportTimesReport found, driver::export_times(request, invocation.services()));
  if (line.out.empty() && !line.json) {
    fmt::print("{}", found.text);
    return 0;
  }
  invocation.reporter().result(
      Json{{"schema", "stitchcuda.tune_export/1"},
           {"steps", found.steps},
           {"settings", found.settings},
           {"without_estimate", found.without_estimate},
           {"out", line.out}},
      fmt::format("{}: times of {} settings of {} steps", line.out, found.settings, found.steps));
  return 0;
}

}  // namespace

Result<int> run_tune(Invocation& invocation) {
  const CommandLine& line = invocation.line();
  if (line.action == "export") {
    return run_export(invocation);
  }
  if (line.file.empty()) {
    return failure(ErrorCode::kUsage, "tune: no program is named", {},
                   "name one: stitchcuda tune FILE.py; see 'stitchcuda tune --help'");
  }
  driver::TuneRequest request;
  STITCH_ASSIGN(request.options, options_of(line));
  request.task = task_of(line, line.file);
  STITCH_ASSIGN(const driver::TuneReport found, driver::tune(request, invocation.services()));
  const tuning::TuneResult& result = found.result;
  if (!line.out.empty()) {
    STITCH_TRY(write_file(line.out, plan::to_json(found.plan).dump(1) + "\n"));
  }
  invocation.reporter().result(Json{{"schema", "stitchcuda.tune/1"},
                                    {"task", task_name(line.file)},
                                    {"math", to_string(line.math)},
                                    {"known", result.known},
                                    {"measured", result.measured},
                                    {"left", result.left},
                                    {"whole_plans", driver::to_json(found.compared, found.plan.form)},
                                    {"against_untuned", driver::to_json(found.last_look)},
                                    {"steps", as_json(found.plan)},
                                    {"out", line.out}},
                               fmt::format("{}{} settings measured, {} known before, {} left when the budget ended",
                                           table(found.plan), result.measured, result.known, result.left));
  return 0;
}

}  // namespace stitch::cli
