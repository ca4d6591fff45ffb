// SPDX-License-Identifier: Apache-2.0
#include "driver/profile/modelled.h"

#include <algorithm>

#include "driver/time/step_cost.h"
#include "kernels/builtin_templates.h"

namespace stitch::driver {
namespace {

double peak_flops(kernels::Pipe pipe, const kernels::DeviceLimits& limits) {
  switch (pipe) {
    case kernels::Pipe::kFp32:
      return limits.fp32_flops;
    case kernels::Pipe::kTf32:
      return limits.tf32_flops;
    case kernels::Pipe::kFp16:
      return limits.fp16_flops;
  }
  return limits.fp32_flops;
}

kernels::DeviceLimits limits_of(const plan::Plan& plan) {
  const Result<kernels::DeviceLimits> limits = kernels::device_limits(plan.device);
  return limits.has_value() ? *limits : kernels::known_devices().front();
}

profile::SystemFigures modelled_system(const std::vector<profile::Kernel>& kernels, double launch_us) {
  profile::SystemFigures system;
  for (const profile::Kernel& kernel : kernels) {
    system.launches += kernel.launches;
    system.busy_us += kernel.time_us.value_or(0);
  }
  system.host_us = system.launches * launch_us;
  system.wall_us = system.busy_us + system.host_us;
  return system;
}

// The rate that took longest, as far as it was reached: all of the kernel's own time. What waits reaches none.
void tell_bound(plan::ExecutedBound bound, profile::Kernel& kernel) {
  const bool is_compute = bound == plan::ExecutedBound::kArithmetic || bound == plan::ExecutedBound::kInstructions;
  if (bound != plan::ExecutedBound::kLaunches && bound != plan::ExecutedBound::kLatency) {
    (is_compute ? kernel.compute_share : kernel.memory_share) = 1.0;
    if (bound == plan::ExecutedBound::kL2 || bound == plan::ExecutedBound::kSharedMemory) {
      kernel.memory_name = to_string(bound);
    }
  }
}

}  // namespace

std::vector<profile::StepWork> step_work(const plan::Plan& plan) {
  const kernels::DeviceLimits limits = limits_of(plan);
  std::vector<profile::StepWork> steps;
  for (size_t index = 0; index < plan.steps.size(); ++index) {
    const StepCost cost = counted_cost(plan, static_cast<int>(index));
    const kernels::KernelTemplate* kernel = kernels::find_template(plan.steps[index].skeleton);
    if (cost.prepares || kernel == nullptr) {
      continue;
    }
    const kernels::Group group = plan::step_group(plan, index);
    const kernels::Work work = kernel->work(group, plan.steps[index].setting);
    const std::vector<kernels::Setting> by_library = kernel->library_space(group, limits, plan.math);
    steps.push_back(
        {.step = cost.step,
         .name = cost.name,
         .launches = static_cast<double>(work.launches),
         .uses_library = std::find(by_library.begin(), by_library.end(), plan.steps[index].setting) != by_library.end(),
         .bytes = cost.bytes,
         .flops = cost.flops,
         .peak = peak_flops(work.pipe, limits),
         .is_tensor = work.pipe != kernels::Pipe::kFp32,
         .floor_us = std::max(0.0, cost.floor_us)});
  }
  return steps;
}

profile::Measurement roofline_of(const plan::Plan& plan) {
  profile::Measurement measured;
  measured.rung = profile::RungKind::kRoofline;
  for (const profile::StepWork& step : step_work(plan)) {
    profile::Kernel kernel;
    kernel.name = step.name;
    kernel.step = step.step;
    kernel.launches = std::max(1.0, step.launches);
    kernel.time_us = step.floor_us;
    kernel.bytes = step.bytes;
    (step.is_tensor ? kernel.tensor_flops : kernel.flops) = step.flops;
    kernel.tensor_peak = step.is_tensor ? std::optional(step.peak) : std::nullopt;
    kernel.floor_us = step.floor_us;
    measured.kernels.push_back(std::move(kernel));
  }
  measured.system = modelled_system(measured.kernels, limits_of(plan).launch_us);
  return measured;
}

profile::Measurement executed_of(const ExecutedTime& executed, const plan::Plan& plan) {
  const double launch_us = limits_of(plan).launch_us;
  const std::vector<profile::StepWork> steps = step_work(plan);
  profile::Measurement measured;
  measured.rung = profile::RungKind::kExecuted;
  for (const plan::StepExecution& ran : executed.steps) {
    profile::Kernel kernel;
    const auto step =
        std::find_if(steps.begin(), steps.end(), [&](const profile::StepWork& each) { return each.step == ran.step; });
    kernel.name = step == steps.end() ? "outside of all steps" : step->name;
    kernel.step = ran.step;
    kernel.launches = std::max(1.0, ran.counts.launches);
    kernel.time_us = std::max(0.0, ran.executed_us - launch_us * ran.counts.launches);
    kernel.bytes = ran.counts.bytes;
    kernel.flops = std::max(0.0, ran.counts.flops - ran.counts.tensor_flops);
    kernel.tensor_flops = ran.counts.tensor_flops;
    if (step != steps.end()) {
      kernel.floor_us = step->floor_us;
      kernel.tensor_peak = step->is_tensor ? std::optional(step->peak) : std::nullopt;
    }
    tell_bound(ran.bound, kernel);
    measured.kernels.push_back(std::move(kernel));
  }
  measured.system = modelled_system(measured.kernels, launch_us);
  measured.notes.push_back("modelled from what the emulated device counted, at " + executed.sizes);
  return measured;
}

}  // namespace stitch::driver
