// SPDX-License-Identifier: Apache-2.0
// The functor that stores what follows from a finished reduction, one element of it at a time.
#pragma once

#include <vector>

#include "kernels/code/step_builder.h"
#include "kernels/lowering/lower_functor.h"
#include "kernels/reduce/accumulator.h"

namespace stitch::kernels {

// `void operator()(int64_t row, const Accumulator& total) const`, which stores `results`, of the reductions of one
// pass, of which `reduction` is one; `count`: of elements that are reduced to one, where the accumulator needs it.
Result<LoweredFunctor> make_total_store(StepBuilder& step, const ir::Node& reduction,
                                        const AccumulatorKind& accumulator, const Expr& count,
                                        const std::vector<ir::ValueId>& results);

}  // namespace stitch::kernels
