// SPDX-License-Identifier: Apache-2.0
// Direct convolution on the tensor cores, fp32 class (runtime/kernels/conv/direct_mma.cuh, and direct_wgmma.cuh): its
// settings, and what they cost.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernels/code/step_builder.h"
#include "kernels/conv/problem.h"
#include "kernels/template/kernel_template.h"

namespace stitch::kernels {

// Output channels of a block, and input channels that it takes at a time.
struct DirectMmaSetting {
  int64_t channels;
  int64_t input_channels;
  bool by_groups = false;  // of warps (wgmma), of no more input channels than that
};

// Whether the skeleton can compute it: no groups, not transposed, and a window that shared memory has room for.
bool allows_direct_mma(const ConvolutionProblem& problem, const DirectMmaSetting& setting);
// Those worth trying ("direct_tf32x3_64x8"): of few input channels.
std::vector<Setting> direct_mma_settings(const ConvolutionProblem& problem, const DeviceLimits& limits);
// nullopt for a setting of other skeletons.
std::optional<DirectMmaSetting> direct_mma_setting(const Setting& setting);
// Of the launch: "stitch::DirectMmaTile<64, 8>, Window".
std::string direct_mma_arguments(const DirectMmaSetting& setting);
// How many parts of a plane are added up by themselves where only its sum is kept.
int64_t direct_mma_parts_of_plane(const ConvolutionProblem& problem, const DirectMmaSetting& setting);
// What a block does, for the reader of a step.
void describe_direct_mma(StepBuilder& step, const DirectMmaSetting& setting);
void add_direct_mma_work(const ConvolutionProblem& problem, const DirectMmaSetting& setting, Work& work);

}  // namespace stitch::kernels
