// SPDX-License-Identifier: Apache-2.0
// Convolution by wgmma from images as they lie, windows in registers (runtime/kernels/conv/window_wgmma.cuh): its
// settings, and what they cost.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernels/code/step_builder.h"
#include "kernels/conv/layout.h"
#include "kernels/conv/problem.h"
#include "kernels/conv/rounding.h"
#include "kernels/template/kernel_template.h"

namespace stitch::kernels {

// Of a block: warpgroups of 32 times four neighbouring places of a row each, and output channels. `blocks` of a cluster
// share the input channels.
struct WindowWgmmaSetting {
  int64_t groups;
  int64_t channels;
  int64_t blocks = 1;
};

// Whether the skeleton can compute it: two axes, one group, no dilation, not transposed, and room in shared memory.
// prepare() has to have the weights.
bool allows_window_wgmma(const ConvolutionProblem& problem, const WindowWgmmaSetting& setting);
// Those worth trying ("window_wgmma_128x64"; splits are a cluster's blocks), where operands may be rounded and wgmma
// is.
std::vector<Setting> window_wgmma_settings(const ConvolutionProblem& problem, OperandRounding rounding,
                                           const DeviceLimits& limits);
// nullopt for a setting of other skeletons.
std::optional<WindowWgmmaSetting> window_wgmma_setting(const Setting& setting);
// Of the launch: "stitch::PointwiseTile<1, 64>, Window, 4".
std::string window_wgmma_arguments(const WindowWgmmaSetting& setting);
// The launch by which prepare() arranges the weights.
std::string window_wgmma_arranging(const WindowWgmmaSetting& setting);
// Of the weights as the kernel reads them.
int64_t window_wgmma_weight_bytes(const ConvolutionProblem& problem, const WindowWgmmaSetting& setting);
// What a block does, for the reader of a step.
void describe_window_wgmma(StepBuilder& step, const WindowWgmmaSetting& setting);
void add_window_wgmma_work(const Group& group, const ConvolutionProblem& problem, const WindowWgmmaSetting& setting,
                           const ConvolutionLayout& layout, Work& work);

}  // namespace stitch::kernels
