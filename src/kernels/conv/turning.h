// SPDX-License-Identifier: Apache-2.0
// Operands of convolutions turned from one order of axes to the other, tile by tile (runtime/kernels/conv/turned.cuh).
#pragma once

#include <string>

#include "kernels/code/step_builder.h"
#include "kernels/conv/layout.h"
#include "kernels/conv/problem.h"
#include "kernels/template/kernel_template.h"

namespace stitch::kernels {

// "stitch::TurnTile<PIXELS, CHANNELS>" of each tensor.
std::string input_tile(const ConvolutionProblem& problem);
std::string weight_tile(const ConvolutionProblem& problem);
std::string sums_tile(const ConvolutionProblem& problem);

int64_t input_elements(const ConvolutionProblem& problem);
int64_t weight_elements(const ConvolutionProblem& problem);

// What our own kernels, which read channels first, have to turn before.
void add_turning_work(const ConvolutionProblem& problem, const ConvolutionLayout& layout, Work& work);
// The scratch memory of that.
int64_t turning_bytes(const ConvolutionProblem& problem, const ConvolutionLayout& layout);
// The names of both operands as our own kernels read them, after the launches that turn what lies otherwise into the
// scratch memory behind the first `taken_bytes`.
struct OwnOperands {
  std::string input = "input";
  std::string weight = "weight";
};
OwnOperands add_turning(StepBuilder& step, const ConvolutionProblem& problem, const ConvolutionLayout& layout,
                        int64_t taken_bytes);

}  // namespace stitch::kernels
