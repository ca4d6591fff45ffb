// SPDX-License-Identifier: Apache-2.0
#include "plan/streams/schedule.h"

#include <algorithm>

#include "kernels/builtin_templates.h"
#include "plan/streams/step_streams.h"

namespace stitch::plan {
namespace {

constexpr double kWaitOfLaunch = 0.5;  // what a wait for another stream costs, in launches

double launches_of(const Plan& plan, size_t step) {
  const kernels::KernelTemplate* kernel = kernels::find_template(plan.steps[step].skeleton);
  return kernel == nullptr ? 1 : kernel->work(step_group(plan, step), plan.steps[step].setting).launches;
}

}  // namespace

CallSchedule schedule_of(const Plan& plan, const std::vector<double>& step_us, const std::vector<double>& launches,
                         const kernels::DeviceLimits& limits) {
  const CallStreams call = streams_of(plan);
  const double wait_us = kWaitOfLaunch * limits.launch_us;
  const bool replays = !plan.host.has_value() || plan.host->replays;
  std::vector<double> ends(plan.steps.size(), 0);
  std::vector<double> free_at(static_cast<size_t>(call.side_streams) + 1, wait_us);
  free_at.front() = 0;
  double device_us = 0;  // until when kernels work
  double work_us = 0;
  double issued_us = 0;  // when the host comes to the next launch
  for (size_t step = 0; step < plan.steps.size(); ++step) {
    if (plan.steps[step].phase != Phase::kRun) {
      continue;
    }
    const StepStream& own = call.steps[step];
    double& stream_us = free_at[static_cast<size_t>(own.stream)];
    for (const int earlier : own.waits) {
      stream_us = std::max(stream_us, ends[static_cast<size_t>(earlier)] + wait_us);
    }
    stream_us = std::max(stream_us, replays ? 0.0 : issued_us);
    const double launch_us = std::min(step_us[step], launches[step] * limits.launch_us);
    device_us = std::max(device_us, stream_us + launch_us) + (step_us[step] - launch_us);
    work_us += step_us[step] - launch_us;
    issued_us += launches[step] * limits.launch_us;
    ends[step] = device_us;
    stream_us = device_us;
  }
  double end_us = free_at.front();
  for (const int last : call.joined) {
    end_us = std::max(end_us, ends[static_cast<size_t>(last)] + wait_us);
  }
  return {end_us, end_us - work_us};
}

CallSchedule modelled_schedule(const Plan& plan) {
  const Result<kernels::DeviceLimits> limits = kernels::device_limits(plan.device);
  STITCH_CHECK(limits.has_value()) << "a plan names the device " << plan.device;
  std::vector<double> step_us;
  std::vector<double> launches;
  for (size_t step = 0; step < plan.steps.size(); ++step) {
    step_us.push_back(plan.steps[step].modelled_us);
    launches.push_back(plan.steps[step].phase == Phase::kRun ? launches_of(plan, step) : 0);
  }
  return schedule_of(plan, step_us, launches, *limits);
}

}  // namespace stitch::plan
