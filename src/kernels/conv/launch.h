// SPDX-License-Identifier: Apache-2.0
// What the launches of all convolutions begin with.
#pragma once

#include "kernels/code/step_builder.h"
#include "kernels/conv/problem.h"

namespace stitch::kernels {

// `shape`, `input`, `weight` and `Window`, of the step's root.
void add_problem(StepBuilder& step, const ConvolutionProblem& problem);

}  // namespace stitch::kernels
