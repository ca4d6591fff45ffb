// SPDX-License-Identifier: Apache-2.0
// Depthwise convolution (runtime/kernels/conv/depthwise.cuh): what it costs.
#pragma once

#include "kernels/code/step_builder.h"
#include "kernels/conv/problem.h"
#include "kernels/template/kernel_template.h"

namespace stitch::kernels {

void add_depthwise_work(const ConvolutionProblem& problem, Work& work);
// How often an element of the input is read, by threads that have outputs below each other.
double depthwise_reads(const ConvolutionProblem& problem);
// What a block does, for the reader of a step.
void describe_depthwise(StepBuilder& step);

}  // namespace stitch::kernels
