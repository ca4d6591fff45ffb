// SPDX-License-Identifier: Apache-2.0
// What the launches of all convolutions begin with.
#pragma once

#include "kernels/code/step_builder.h"
#include "kernels/conv/problem.h"
#include "kernels/lowering/launch_text.h"

namespace stitch::kernels {

// `shape`, `input`, `weight` and `Window`, of the step's root.
void add_problem(StepBuilder& step, const ConvolutionProblem& problem);
// The same where `input` in memory is what the root's is computed from.
void add_problem(StepBuilder& step, const ConvolutionProblem& problem, ir::ValueId input);

// Of an epilogue that pixels of a plane are named to by one number, along which neighbours may be taken together.
std::vector<Coordinate> numbered_pixel_coordinates(size_t rank);
// Whether neighbouring pixels may be stored together, behind add_problem().
Expr prove_pixel_lanes(StepBuilder& step, const ConvolutionProblem& problem, const LaneUser& user);

}  // namespace stitch::kernels
