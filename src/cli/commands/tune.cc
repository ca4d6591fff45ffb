// SPDX-License-Identifier: Apache-2.0
// Times the settings of a program's steps on the GPU of this machine and keeps the times: later plans choose by them.
#include <fmt/format.h>

#include <cmath>

#include "base/json/json.h"
#include "cli/commands/commands.h"
#include "cli/options/request.h"
#include "driver/build/compile_program.h"
#include "driver/import/batch.h"
#include "driver/import/import_program.h"
#include "driver/judge/judge.h"
#include "driver/time/tuning.h"
#include "plan/batch/any_batch.h"

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

}  // namespace

Result<int> run_tune(Session& session) {
  const CommandLine& line = session.line();
  STITCH_ASSIGN(driver::Options options, options_of(line));
  driver::Job job(std::move(options), session.services());
  STITCH_ASSIGN(const toolchain::Toolchain tools, find_compilers(job));
  STITCH_ASSIGN(std::optional<driver::Tuning> tuning, driver::Tuning::open(job, tools, line.math));
  if (!tuning.has_value()) {
    return failure(ErrorCode::kEnvironment, "settings are measured on a GPU, and this machine lacks one or nvcc", "",
                   "run 'stitchcuda doctor', or plan by estimate");
  }
  Task task;
  task.file = line.file;
  task.target = line.target;
  task.mode = line.mode;
  task.math = line.math;
  STITCH_ASSIGN(const driver::ImportedProgram imported, import_program(job, task));
  // Planned as optimize plans it, at the same batch: its steps are then known by the same signatures.
  STITCH_ASSIGN(const driver::BatchAxes axes, find_batch_axes(job, task));
  STITCH_ASSIGN(const plan::ProgramBatches batches, import_batches(job, task, axes, imported.graph));
  const auto planned = [&] {
    return plan::plan_any_batch(
        batches, [&](const ir::Graph& graph) { return make_plan(job, graph, line.math, tuning->times()); });
  };
  STITCH_ASSIGN(const plan::Plan estimated, planned());
  STITCH_ASSIGN(const tuning::TuneResult result, tuning->run(estimated));
  STITCH_ASSIGN(const plan::Plan measured, planned());
  session.reporter().result(Json{{"schema", "stitchcuda.tune/1"},
                                 {"task", task_name(line.file)},
                                 {"math", to_string(line.math)},
                                 {"known", result.known},
                                 {"measured", result.measured},
                                 {"left", result.left},
                                 {"steps", as_json(measured)}},
                            fmt::format("{}{} settings measured, {} known before, {} left when the budget ended",
                                        table(measured), result.measured, result.known, result.left));
  return 0;
}

}  // namespace stitch::cli
