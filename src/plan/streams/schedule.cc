// SPDX-License-Identifier: Apache-2.0
#include "plan/streams/schedule.h"

#include <algorithm>
#include <deque>
#include <optional>
#include <set>

#include "kernels/builtin_templates.h"
#include "plan/streams/step_streams.h"

namespace stitch::plan {
namespace {

constexpr double kWaitOfLaunch = 0.5;  // what a wait for another stream costs, in launches

double launches_of(const Plan& plan, size_t step) {
  const kernels::KernelTemplate* kernel = kernels::find_template(plan.steps[step].skeleton);
  return kernel == nullptr ? 1 : kernel->work(step_group(plan, step), plan.steps[step].setting).launches;
}

// Does the work of steps in the order in which they are ready for it.
class Device {
 public:
  Device(const Plan& plan, const std::vector<double>& step_us, const std::vector<double>& launches,
         const kernels::DeviceLimits& limits)
      : call_(streams_of(plan)),
        wait_us_(kWaitOfLaunch * limits.launch_us),
        step_us_(step_us),
        ends_(plan.steps.size(), 0),
        queues_(static_cast<size_t>(call_.side_streams) + 1),
        free_at_(queues_.size(), wait_us_) {
    free_at_.front() = 0;
    const bool replays = !plan.host.has_value() || plan.host->replays;
    double issued_us = 0;  // when the host comes to the next launch
    for (size_t step = 0; step < plan.steps.size(); ++step) {
      launch_us_.push_back(std::min(step_us[step], launches[step] * limits.launch_us));
      issued_at_.push_back(replays ? 0 : issued_us);
      if (plan.steps[step].phase == Phase::kRun) {
        issued_us += launches[step] * limits.launch_us;
        queues_[static_cast<size_t>(call_.steps[step].stream)].push_back(step);
      }
    }
  }

  CallSchedule run() {
    while (const std::optional<Ready> next = first_ready()) {
      const double work_us = step_us_[next->step] - launch_us_[next->step];
      device_us_ = std::max(device_us_, next->us) + work_us;
      work_us_ += work_us;
      ends_[next->step] = device_us_;
      free_at_[next->stream] = device_us_;
      queues_[next->stream].pop_front();
      done_.insert(static_cast<int>(next->step));
    }
    double end_us = free_at_.front();
    for (const int last : call_.joined) {
      end_us = std::max(end_us, ends_[static_cast<size_t>(last)] + wait_us_);
    }
    return {end_us, end_us - work_us_};
  }

 private:
  struct Ready {
    size_t step = 0;
    size_t stream = 0;
    double us = 0;
  };

  // Of the steps at the heads of streams; nothing once all have run. The first of equals.
  std::optional<Ready> first_ready() const {
    std::optional<Ready> first;
    for (size_t stream = 0; stream < queues_.size(); ++stream) {
      if (queues_[stream].empty()) {
        continue;
      }
      const size_t step = queues_[stream].front();
      const std::vector<int>& waits = call_.steps[step].waits;
      double us = std::max(free_at_[stream], issued_at_[step]);
      for (const int earlier : waits) {
        us = std::max(us, ends_[static_cast<size_t>(earlier)] + wait_us_);
      }
      us += launch_us_[step];
      const bool is_ready = std::all_of(waits.begin(), waits.end(), [&](int each) { return done_.count(each) > 0; });
      if (is_ready && (!first.has_value() || us < first->us)) {
        first = Ready{step, stream, us};
      }
    }
    return first;
  }

  CallStreams call_;
  double wait_us_;
  const std::vector<double>& step_us_;
  std::vector<double> launch_us_;  // of each step, the part that other streams' work may hide
  std::vector<double> issued_at_;
  std::vector<double> ends_;
  std::vector<std::deque<size_t>> queues_;  // by stream, in order of launch
  std::vector<double> free_at_;             // by stream
  std::set<int> done_;
  double device_us_ = 0;  // until when kernels work
  double work_us_ = 0;
};

}  // namespace

CallSchedule schedule_of(const Plan& plan, const std::vector<double>& step_us, const std::vector<double>& launches,
                         const kernels::DeviceLimits& limits) {
  return Device(plan, step_us, launches, limits).run();
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
