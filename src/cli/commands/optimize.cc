// SPDX-License-Identifier: Apache-2.0
#include "driver/requests/optimize.h"

#include <fmt/format.h>

#include "base/json/json.h"
#include "cli/agents/agents_request.h"
#include "cli/agents/live_view.h"
#include "cli/commands/commands.h"
#include "cli/options/request.h"
#include "cli/runs/program_digest.h"
#include "driver/judge/judge.h"
#include "plan/batch/any_batch.h"

namespace stitch::cli {
namespace {

namespace fs = std::filesystem;

std::string summary(const driver::OptimizeReport& run) {
  const plan::Plan& plan = run.program.plan;
  std::string text = fmt::format("{} ({} sizes)\n", driver::verdict_text(run.report.verify), run.scale);
  const std::string again = evaluate::how_to_repeat(run.report.verify);
  text += again.empty() ? "" : again + "\n";
  text += run.nvcc.message.empty() ? "" : run.nvcc.message + "\n";
  text += run.times.has_value() ? describe(*run.times) + "\n" : "";
  text += run.improvement.has_value() ? run.improvement->summary + "\n" : "";
  text += run.untimed.has_value() ? driver::describe(*run.untimed) + "\n" : "";
  return text + fmt::format("{:.1f} us modelled on {}, {} steps from {} operators, math {}  ->  {}",
                            plan::declared_modelled_us(plan), plan.device, plan.steps.size(), run.imported.operators,
                            to_string(run.task.math), run.out.string());
}

void keep_in_record(Invocation& invocation, const driver::OptimizeReport& run) {
  invocation.run_log().learn([&](runs::RunRecord& record) {
    record.verdict = driver::verdict_text(run.report.verify);
    record.modelled_us = plan::declared_modelled_us(run.program.plan);
    record.device = to_string(run.device);
    record.steps = static_cast<int>(run.program.plan.steps.size());
    record.operators = run.imported.operators;
    if (run.times.has_value() && run.times->times.refusal().empty()) {
      record.measured_us = run.times->times.best_us();
    }
  });
  invocation.run_log().keep(kProgramFile, program_digest(run.program.plan, run.program.bundle).dump(1) + "\n");
}

// Begins the record of a run of agents, whose journal lies beside it, or takes up the one that goes on.
Result<fs::path> folder_of_run(Invocation& invocation) {
  const CommandLine& line = invocation.line();
  if (line.goes_on.empty()) {
    invocation.run_log().begin(line);
  } else {
    STITCH_ASSIGN(const fs::path state, runs::state_folder());
    STITCH_ASSIGN(runs::RunRecord record, runs::RunStore(state).read(line.goes_on));
    invocation.run_log().begin_again(std::move(record));
  }
  fs::path folder = invocation.run_log().folder();
  return folder.empty() ? failure(ErrorCode::kEnvironment, "a run of agents needs a folder for its journal", "",
                                  "name a folder that can be written to with STITCHCUDA_STATE")
                        : Result<fs::path>(std::move(folder));
}

}  // namespace

Result<int> run_optimize(Invocation& invocation) {
  const CommandLine& line = invocation.line();
  driver::OptimizeRequest request;
  request.task = task_of(line, line.file);
  request.out = line.out.empty() ? fs::path("out") / task_name(line.file) : fs::path(line.out);
  STITCH_ASSIGN(request.options, options_of(line));
  request.command = line.command;
  std::optional<LiveView> view;
  std::optional<agents::AgentsImprover> improver;
  if (line.agents.are_asked()) {
    STITCH_ASSIGN(agents::RunRequest asked, find_agents(line, invocation.services().resources, invocation.reporter()));
    STITCH_ASSIGN(asked.folder, folder_of_run(invocation));
    view.emplace(invocation.reporter(), asked, [&invocation](runs::AgentsRecord agents) {
      invocation.run_log().learn([&](runs::RunRecord& record) { record.agents = std::move(agents); });
    });
    improver.emplace(std::move(asked), *view);
    request.improver = &*improver;
  }
  Result<driver::OptimizeReport> result = driver::optimize(request, invocation.services());
  // Only now: a candidate may read whatever this user may.
  invocation.run_log().learn([&](runs::RunRecord& record) { record.seed = request.options.seed; });
  STITCH_ASSIGN(const driver::OptimizeReport report, std::move(result));
  keep_in_record(invocation, report);
  invocation.reporter().result(to_json(report), summary(report));
  return report.report.verify.verdict().kind == VerdictKind::kOk ? 0 : 1;
}

}  // namespace stitch::cli
