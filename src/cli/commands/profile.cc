// SPDX-License-Identifier: Apache-2.0
// What each step of a program costs, and against what: counted work and the roofline anywhere, measured times only on a
// GPU.
#include <fmt/format.h>

#include "base/fs/files.h"
#include "base/json/json.h"
#include "cli/commands/commands.h"
#include "cli/options/request.h"
#include "codegen/emit.h"
#include "driver/judge/folder.h"
#include "driver/judge/judge.h"
#include "driver/time/step_cost.h"

namespace stitch::cli {
namespace {

std::string line_of(const driver::StepCost& cost) {
  std::string line =
      fmt::format("{:>3} {:<40} {:<28} {:>9.3f} GFLOP {:>9.3f} MB  modelled {:>8.2f} us", cost.step, cost.name,
                  cost.skeleton + " " + cost.setting, cost.flops * 1e-9, cost.bytes * 1e-6, cost.modelled_us);
  if (cost.measured_us.has_value()) {
    line += fmt::format("  measured {:>8.2f} us +- {:.0f} %, floor {:.2f} us = {:.0f} %", *cost.measured_us,
                        100 * cost.spread, cost.floor_us, 100 * cost.floor_us / *cost.measured_us);
  }
  return line + (cost.prepares ? "  (prepare)" : "");
}

Result<std::vector<int>> chosen_steps(const CommandLine& line, const plan::Plan& plan) {
  const int count = static_cast<int>(plan.steps.size());
  std::vector<int> steps;
  if (!line.step.has_value()) {
    for (int step = 0; step < count; ++step) {
      steps.push_back(step);
    }
    return steps;
  }
  if (*line.step >= count) {
    return failure(ErrorCode::kUsage, fmt::format("the plan has no step {}", *line.step), line.file,
                   fmt::format("name a step from 0 to {}", count - 1));
  }
  steps.push_back(*line.step);
  return steps;
}

}  // namespace

Result<int> run_profile(Session& session) {
  const CommandLine& line = session.line();
  STITCH_ASSIGN(const driver::Folder folder, driver::read_folder(line.file));
  STITCH_ASSIGN(driver::Options options, options_of(line));
  driver::Job job(std::move(options), session.services());
  STITCH_ASSIGN(const toolchain::Toolchain tools, find_compilers(job));
  STITCH_ASSIGN(const DeviceKind device, choose_device(job, tools));
  STITCH_ASSIGN(const std::vector<int> steps, chosen_steps(line, folder.plan));
  Json rows = Json::array();
  std::string text;
  double modelled_us = 0;
  double measured_us = 0;
  for (const int step : steps) {
    driver::StepCost cost = driver::counted_cost(folder.plan, step);
    if (device == DeviceKind::kCuda) {
      const std::string file = codegen::step_file_name(folder.plan, static_cast<size_t>(step));
      const auto found = folder.sources.files.find(file);
      if (found == folder.sources.files.end()) {
        return failure(ErrorCode::kFileInvalid, fmt::format("{} is missing", file), file, "emit the program again");
      }
      driver::Progress::Wait wait = job.progress().wait("profile", "the GPU");
      wait.say(fmt::format("step {} of {}", step, folder.plan.steps.size()));
      STITCH_TRY(measure_cost(job, tools, folder.plan, found->second, cost));
    }
    modelled_us += cost.prepares ? 0 : cost.modelled_us;
    measured_us += cost.prepares ? 0 : cost.measured_us.value_or(0);
    rows.push_back(to_json(cost));
    text += line_of(cost) + "\n";
  }
  Json said = {{"schema", "stitchcuda.profile/1"},
               {"task", task_name(folder.task.file)},
               {"device", to_string(device)},
               {"planned_for", folder.plan.device},
               {"steps", rows},
               {"modelled_us", modelled_us}};
  text += fmt::format("{:.1f} us modelled on {}", modelled_us, folder.plan.device);
  if (device == DeviceKind::kCuda) {
    said["measured_us"] = measured_us;
    text += fmt::format(", {:.1f} us measured step by step, each with cold L2", measured_us);
  } else {
    text += "; measured times need a GPU";
  }
  session.reporter().result(said, text);
  return 0;
}

}  // namespace stitch::cli
