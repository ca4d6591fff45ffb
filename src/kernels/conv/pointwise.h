// SPDX-License-Identifier: Apache-2.0
// Convolution of one tap by wgmma (runtime/kernels/conv/pointwise_wgmma.cuh, and pointwise_tf32x3.cuh of fp32's class):
// its settings, and what they cost.
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

// Of a block: warpgroups of 128 places each, and output channels. `blocks` of a cluster share the input channels.
// Operands are in one part, rounded, or in two.
struct PointwiseSetting {
  int64_t groups;
  int64_t channels;
  int64_t blocks = 1;
  int64_t parts = 1;

  bool is_exact() const { return parts > 1; }
};

// Whether the skeleton can compute it: one tap in steps of one, no padding, not transposed, groups in two parts alone;
// by clusters weights that are kept.
bool allows_pointwise(const ConvolutionProblem& problem, const PointwiseSetting& setting, bool are_weights_kept);
// Those worth trying where wgmma is: "pointwise_wgmma_256x192" where operands may be rounded, and
// "pointwise_tf32x3_128x80" where they are not. Splits are a cluster's blocks.
std::vector<Setting> pointwise_settings(const ConvolutionProblem& problem, OperandRounding rounding,
                                        const DeviceLimits& limits, bool are_weights_kept);
// nullopt for a setting of other skeletons.
std::optional<PointwiseSetting> pointwise_setting(const Setting& setting);
// Of the launch: "stitch::PointwiseTile<2, 192>", and the blocks of a cluster.
std::string pointwise_arguments(const PointwiseSetting& setting);
// Of the weights as the kernel reads them, which are arranged in prepare() where that has them, and else by each call.
int64_t pointwise_weight_bytes(const ConvolutionProblem& problem, const PointwiseSetting& setting);
// What a block does, for the reader of a step.
void describe_pointwise(StepBuilder& step, const PointwiseSetting& setting);
// The launch by which prepare() arranges the weights: "stitch::launch_arrange_pointwise<stitch::PointwiseTile<2, 64>>".
std::string pointwise_arranging(const PointwiseSetting& setting);
void add_pointwise_work(const Group& group, const ConvolutionProblem& problem, const PointwiseSetting& setting,
                        const ConvolutionLayout& layout, Work& work);

}  // namespace stitch::kernels
