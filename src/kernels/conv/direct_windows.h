// SPDX-License-Identifier: Apache-2.0
// Direct convolution of at most eight input channels whose outputs are pooled or reduced in registers, with a softmax
// over channels before or behind (runtime/kernels/conv/direct_fp16_pool.cuh): its settings, and what they cost.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernels/code/step_builder.h"
#include "kernels/conv/join_chain.h"
#include "kernels/template/kernel_template.h"

namespace stitch::kernels {

// Output channels of a block, all of which each warp has, and input channels that it has room for.
struct DirectWindowsSetting {
  int64_t channels;
  int64_t input_channels;
};

// Whether the skeleton can compute it: no groups, not transposed, all channels in a block where a softmax is over them,
// and windows that shared memory has room for.
bool allows_direct_windows(const ConvolutionProblem& problem, const JoinChain& chain,
                           const DirectWindowsSetting& setting);
// Those worth trying ("direct_windows_fp16x3_24x4").
std::vector<Setting> direct_windows_settings(const ConvolutionProblem& problem, const JoinChain& chain,
                                             const DeviceLimits& limits);
// nullopt for a setting of other skeletons.
std::optional<DirectWindowsSetting> direct_windows_setting(const Setting& setting);
// "stitch::DirectWindowsTile<stitch::PooledWindow<1, 2, 2>, 2, 8, 8, 4, 4, 1, 5, 5>", whose patches suit the extents.
std::string direct_windows_tile(const ConvolutionProblem& problem, const JoinChain& chain,
                                const DirectWindowsSetting& setting);
// What a block does, for the reader of a step.
void describe_direct_windows(StepBuilder& step, const JoinChain& chain);
void add_direct_windows_work(const ConvolutionProblem& problem, const JoinChain& chain,
                             const DirectWindowsSetting& setting, Work& work);

}  // namespace stitch::kernels
