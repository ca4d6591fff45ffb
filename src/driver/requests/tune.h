// SPDX-License-Identifier: Apache-2.0
// Times the settings of a program's steps on the GPU of this machine and keeps the times: later plans choose by them.
#pragma once

#include <vector>

#include "artifact/task/task.h"
#include "driver/job/job.h"
#include "plan/plan.h"
#include "tuning/measure/last_look.h"
#include "tuning/measure/tune.h"
#include "tuning/measure/whole_plans.h"

namespace stitch::driver {

struct TuneRequest {
  Task task;
  Options options;
};

struct TuneReport {
  tuning::TuneResult result;
  plan::Plan plan;                            // by what is now known
  std::vector<tuning::WholePlan> compared;    // whole plans that were timed beside each other
  std::vector<tuning::Challenger> last_look;  // in turns with the untuned program
};

// kEnvironment without a GPU or nvcc.
Result<TuneReport> tune(const TuneRequest& request, const Services& services);

}  // namespace stitch::driver
