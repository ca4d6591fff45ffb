// SPDX-License-Identifier: Apache-2.0
// Plans a program so that its batch is an argument of each call, where that can be.
#pragma once

#include <functional>

#include "plan/batch/program_batches.h"

namespace stitch::plan {

using Planner = std::function<Result<Plan>(const ir::Graph&)>;

// A plan that holds at every batch of a range, or, with the reason in batch_note, one for the declared sizes alone.
// Steps planned for a batch of one leave its axis out: such a program is planned for a larger one, unless that costs
// much more at one.
Result<Plan> plan_any_batch(const ProgramBatches& program, const Planner& planner);

// plan.modelled_us, at the batch that the program declares: it may be planned for a larger one.
double declared_modelled_us(const Plan& plan);

}  // namespace stitch::plan
