// SPDX-License-Identifier: Apache-2.0
// How long a call takes by the times of its steps, with its streams: what host choices are compared by where nobody can
// measure.
#pragma once

#include <vector>

#include "kernels/template/device_limits.h"
#include "plan/plan.h"

namespace stitch::plan {

struct CallSchedule {
  double us = 0;
  double idle_us = 0;  // of these, when no kernel works: launches and waiting that nothing hides
};

// `step_us` by step of the plan; launches are part of it, `launches` says how many. What kernels do shares the device:
// only launches and waits are hidden behind the work of other streams. Whoever waits for another stream does so for
// half a launch more. Plain launches leave the host one after another, those of a graph at once. On one stream this is
// the sum of the times.
CallSchedule schedule_of(const Plan& plan, const std::vector<double>& step_us, const std::vector<double>& launches,
                         const kernels::DeviceLimits& limits);

// Of the plan by its own modelled times.
CallSchedule modelled_schedule(const Plan& plan);

}  // namespace stitch::plan
