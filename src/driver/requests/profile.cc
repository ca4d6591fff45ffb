// SPDX-License-Identifier: Apache-2.0
#include "driver/requests/profile.h"

#include <fmt/format.h>

#include "codegen/emit.h"
#include "driver/judge/folder.h"
#include "driver/judge/judge.h"
#include "driver/judge/subjects.h"
#include "driver/profile/planned_folder.h"

namespace stitch::driver {
namespace {

Result<std::vector<int>> chosen_steps(const ProfileRequest& request, const plan::Plan& plan) {
  const int count = static_cast<int>(plan.steps.size());
  std::vector<int> steps;
  if (!request.step.has_value()) {
    for (int step = 0; step < count; ++step) {
      steps.push_back(step);
    }
    return steps;
  }
  if (*request.step >= count) {
    return failure(ErrorCode::kUsage, fmt::format("the plan has no step {}", *request.step), request.folder,
                   fmt::format("name a step from 0 to {}", count - 1));
  }
  steps.push_back(*request.step);
  return steps;
}

// From its file as it is now.
Result<void> measure(Job& job, const toolchain::Toolchain& tools, const Folder& folder, int step, StepCost& cost) {
  const std::string file = codegen::step_file_name(folder.plan, static_cast<size_t>(step));
  const auto found = folder.sources.files.find(file);
  if (found == folder.sources.files.end()) {
    return failure(ErrorCode::kFileInvalid, fmt::format("{} is missing", file), file, "emit the program again");
  }
  Progress::Wait wait = job.progress().wait("profile", "the GPU");
  wait.say(fmt::format("step {} of {}", step, folder.plan.steps.size()));
  return measure_cost(job, tools, folder.plan, found->second, cost);
}

// Each takes a build and some seconds of the GPU: of more steps than these one call of the whole program tells enough.
constexpr size_t kMaxTimedAlone = 24;

// What the emulated device gets through in a second that is worth waiting for.
constexpr double kAffordableFlops = 1e8;
constexpr double kFlopsPerByte = 0.25;  // of what moves memory alone

bool is_affordable(const plan::Plan& plan) {
  double flops = 0;
  for (const plan::Step& step : plan.steps) {
    flops += step.flops + kFlopsPerByte * step.bytes_min;
  }
  return flops <= kAffordableFlops;
}

// At the program's own sizes, or at reduced ones, which takes another import.
Result<ExecutedTime> execute(Job& job, const toolchain::Toolchain& tools, const Folder& folder) {
  const ScaleChoice scale = job.options().scale;
  if (scale == ScaleChoice::kFull || (scale == ScaleChoice::kAuto && is_affordable(folder.plan))) {
    return executed_time(job, tools, {folder.plan, folder.sources});
  }
  STITCH_ASSIGN(const EmittedProgram program, emit_again(job, folder.plan));
  STITCH_ASSIGN(const Subject subject, make_counted_subject(job, folder.task, program, folder.sources));
  return executed_time(job, tools, {subject.plan, subject.bundle, &folder.plan, subject.shape});
}

}  // namespace

Result<ProfileReport> profile(const ProfileRequest& request, const Services& services) {
  Job job(request.options, services);
  STITCH_ASSIGN(const Folder folder,
                request.program.file.empty() ? read_folder(request.folder) : planned_folder(job, request.program));
  STITCH_ASSIGN(const toolchain::Toolchain tools, find_compilers(job));
  ProfileReport report;
  report.task = task_name(folder.task.file);
  report.planned_for = folder.plan.device;
  STITCH_ASSIGN(report.device, choose_device(job, tools));
  STITCH_ASSIGN(const std::vector<int> steps, chosen_steps(request, folder.plan));
  const bool times_steps = report.device == DeviceKind::kCuda && steps.size() <= kMaxTimedAlone;
  for (const int step : steps) {
    StepCost cost = counted_cost(folder.plan, step);
    if (times_steps) {
      STITCH_TRY(measure(job, tools, folder, step, cost));
      report.measured_us = report.measured_us.value_or(0) + (cost.prepares ? 0 : cost.measured_us.value_or(0));
    }
    report.modelled_us += cost.prepares ? 0 : cost.modelled_us;
    report.steps.push_back(std::move(cost));
  }
  if (report.device == DeviceKind::kEmulated) {
    Progress::Wait wait = job.progress().wait("profile", "what runs, counted on the emulated device");
    Result<ExecutedTime> executed = execute(job, tools, folder);
    if (executed.has_value()) {
      report.executed = std::move(*executed);
    } else {
      report.not_executed = executed.error().message;
    }
  }
  if (!request.step.has_value()) {
    const Progress::Wait wait = job.progress().wait("profile", "by the best profiler that is here");
    const LadderRequest climbed{folder, report.device, report.executed, report.not_executed, request.rung};
    STITCH_ASSIGN(report.ladder, climb_ladder(job, tools, climbed));
  }
  return report;
}

}  // namespace stitch::driver
