// SPDX-License-Identifier: Apache-2.0
// Streams by rule: whichever step can begin first is launched next, on the stream where it can.
#include <algorithm>
#include <set>

#include "kernels/template/device_limits.h"
#include "plan/plan.h"
#include "plan/streams/step_streams.h"

namespace stitch::plan {
namespace {

constexpr double kWorthwhile = 0.99;  // of the present time, or less
constexpr size_t kMaxSteps = 512;     // beyond that nobody waits for the answer

class StreamPlanner {
 public:
  StreamPlanner(const Plan& plan, int streams, double wait_us)
      : plan_(plan),
        wait_us_(wait_us),
        needed_(dependencies_of(plan)),
        left_us_(plan.steps.size(), 0),
        ends_(plan.steps.size(), 0),
        on_(plan.steps.size(), 0),
        free_at_(static_cast<size_t>(streams), wait_us) {
    free_at_.front() = 0;
    for (size_t step = plan.steps.size(); step-- > 0;) {
      left_us_[step] += plan.steps[step].modelled_us;
      for (const int earlier : needed_[step]) {
        double& left = left_us_[static_cast<size_t>(earlier)];
        left = std::max(left, left_us_[step]);
      }
      if (plan.steps[step].phase == Phase::kRun) {
        waiting_.insert(step);
      }
    }
  }

  HostPlan make() {
    HostPlan host{{}, {{}, !plan_.host.has_value() || plan_.host->replays}};
    while (!waiting_.empty()) {
      const Place next = first_place();
      free_at_[next.stream] = next.begin_us + plan_.steps[next.step].modelled_us;
      ends_[next.step] = free_at_[next.stream];
      on_[next.step] = next.stream;
      waiting_.erase(next.step);
      const std::string& name = host_name(plan_, next.step);
      host.order.push_back(name);
      if (next.stream > 0) {
        host.choices.streams[name] = static_cast<int>(next.stream);
      }
    }
    return host;
  }

 private:
  struct Place {
    size_t step = 0;
    size_t stream = 0;
    double begin_us = 0;
  };

  bool is_ready(size_t step) const {
    return std::none_of(needed_[step].begin(), needed_[step].end(),
                        [&](int earlier) { return waiting_.count(static_cast<size_t>(earlier)) > 0; });
  }

  double begin_of(size_t step, size_t stream) const {
    double us = free_at_[stream];
    for (const int earlier : needed_[step]) {
      const auto done = static_cast<size_t>(earlier);
      us = std::max(us, ends_[done] + (on_[done] == stream ? 0 : wait_us_));
    }
    return us;
  }

  // The earliest; of equals, the one that most has to come behind.
  Place first_place() const {
    Place best;
    bool is_found = false;
    for (const size_t step : waiting_) {
      for (size_t stream = 0; is_ready(step) && stream < free_at_.size(); ++stream) {
        const Place place{step, stream, begin_of(step, stream)};
        const bool is_better =
            place.begin_us < best.begin_us || (place.begin_us == best.begin_us && left_us_[step] > left_us_[best.step]);
        if (!is_found || is_better) {
          best = place;
          is_found = true;
        }
      }
    }
    return best;
  }

  const Plan& plan_;
  double wait_us_;
  std::vector<std::vector<int>> needed_;
  std::vector<double> left_us_;  // from a step's beginning to the end of what needs it
  std::vector<double> ends_;
  std::vector<size_t> on_;
  std::vector<double> free_at_;  // by stream
  std::set<size_t> waiting_;
};

}  // namespace

std::vector<HostPlan> offered_host(const Plan& plan) {
  struct Offer {
    HostPlan host;
    double us = 0;
  };
  std::vector<Offer> offers;
  const Result<kernels::DeviceLimits> limits = kernels::device_limits(plan.device);
  for (int streams = 2; limits.has_value() && plan.steps.size() <= kMaxSteps && streams <= kMaxSideStreams + 1;
       streams *= 2) {
    HostPlan host = StreamPlanner(plan, streams, limits->launch_us / 2).make();
    const Result<Plan> made = with_host(plan, host);
    const bool is_known =
        std::any_of(offers.begin(), offers.end(), [&](const Offer& other) { return other.host == host; });
    if (made.has_value() && !is_known && made->modelled_us <= kWorthwhile * plan.modelled_us) {
      offers.push_back({std::move(host), made->modelled_us});
    }
  }
  std::stable_sort(offers.begin(), offers.end(), [](const Offer& a, const Offer& b) { return a.us < b.us; });
  std::vector<HostPlan> plans;
  for (Offer& each : offers) {
    plans.push_back(std::move(each.host));
  }
  return plans;
}

}  // namespace stitch::plan
