// SPDX-License-Identifier: Apache-2.0
// The rungs that need no GPU: the roofline of a plan, and what the emulated device counted.
#pragma once

#include <vector>

#include "driver/time/executed_time.h"
#include "plan/plan.h"
#include "profile/ladder/join_launches.h"
#include "profile/values/measurement.h"

namespace stitch::driver {

// Of the steps that run() takes, in order.
std::vector<profile::StepWork> step_work(const plan::Plan& plan);

// A call's time is kernels at the roofline and a launch's cost for each launch, in which the device is idle.
profile::Measurement roofline_of(const plan::Plan& plan);
profile::Measurement executed_of(const ExecutedTime& executed, const plan::Plan& plan);

}  // namespace stitch::driver
