// SPDX-License-Identifier: Apache-2.0
// A program to be planned again and again, each time by what is known by then.
#pragma once

#include <functional>

#include "driver/job/job.h"
#include "plan/batch/program_batches.h"
#include "plan/plan.h"

namespace stitch::driver {

// A plan by what was measured; of what is left open of its form the faster one.
using PlannedBy = std::function<Result<plan::Plan>(const plan::MeasuredTimes&, const plan::WantedForm&)>;

// For `batches`, by what the job asks for. Valid as long as both.
PlannedBy planner_of(const Job& job, const plan::ProgramBatches& batches, MathMode math);

}  // namespace stitch::driver
