// SPDX-License-Identifier: Apache-2.0
// Direct convolution of at most eight input channels on the tensor cores, fp32 class by three fp16 products
// (runtime/kernels/conv/direct_fp16.cuh): its settings, and what they cost.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernels/code/step_builder.h"
#include "kernels/conv/problem.h"
#include "kernels/template/kernel_template.h"

namespace stitch::kernels {

// Output channels of a block, which its warps share or each have all of, and input channels that it has room for.
struct DirectFp16Setting {
  int64_t channels;
  int64_t input_channels;
  int64_t warps;
  int64_t warps_of_channels;
  int64_t lines_of_warp;
};

// Whether the skeleton can compute it: no groups, not transposed, and a window that shared memory has room for.
bool allows_direct_fp16(const ConvolutionProblem& problem, const DirectFp16Setting& setting);
// Those worth trying ("direct_fp16x3_64x4").
std::vector<Setting> direct_fp16_settings(const ConvolutionProblem& problem, const DeviceLimits& limits);
// nullopt for a setting of other skeletons.
std::optional<DirectFp16Setting> direct_fp16_setting(const Setting& setting);
// Of the launch: "stitch::DirectFp16Tile<2, 2, 1, 16, 4, 2, 4, 2>, Window", whose patches suit the problem's extents.
std::string direct_fp16_arguments(const ConvolutionProblem& problem, const DirectFp16Setting& setting);
// Parts in which moments of a channel are taken, of all images together or of each: no more.
int64_t direct_fp16_parts(const ConvolutionProblem& problem, const DirectFp16Setting& setting, bool by_image);
// What a block does, for the reader of a step.
void describe_direct_fp16(StepBuilder& step);
void add_direct_fp16_work(const ConvolutionProblem& problem, const DirectFp16Setting& setting, Work& work);

}  // namespace stitch::kernels
