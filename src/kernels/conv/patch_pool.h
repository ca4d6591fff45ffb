// SPDX-License-Identifier: Apache-2.0
// Convolutions by patches whose outputs are joined where they are computed: by windows of a pool that lie side by side
// (runtime/kernels/conv/patch_pool.cuh), or over all channels (patch_channels.cuh).
#pragma once

#include <optional>
#include <string>

#include "kernels/conv/patch.h"
#include "kernels/conv/turning.h"

namespace stitch::kernels {

// A max or average pool of two or three axes.
bool is_any_window_pool(const ir::Node& node);
// Whether `node` reduces the channels alone, by what a warp can join: the least, the greatest, a sum, a mean, or the
// logarithm of a sum of exponentials.
bool is_channel_reduction(const ir::Node& node);

// How `pool`, which reads what the convolution of the group makes, is joined; nullopt where a warp lacks parts of it.
std::optional<PatchJoin> patch_join(const ir::Graph& graph, const ConvolutionProblem& problem, const ir::Node& pool);

bool allows_patch_pool(const ConvolutionProblem& problem, const PatchJoin& join, const PatchSetting& setting);
// Of scratch memory: what the convolution needs, and parts of what no block of channels has all of.
int64_t patch_pool_scratch_bytes(const ConvolutionProblem& problem, const PatchJoin& join, const PatchSetting& setting);
// Beside add_patch_work(): what joining costs, and storing what is left.
void add_patch_pool_work(const ConvolutionProblem& problem, const PatchJoin& join, const PatchSetting& setting,
                         Work& work);
void describe_patch_pool(StepBuilder& step, const ConvolutionProblem& problem, const PatchJoin& join,
                         const PatchSetting& setting);
// "kernels/conv/patch_pool.cuh".
std::string patch_pool_header(const PatchJoin& join);
// The launch, of functors `element` and `store`. `divisor`: of a sum.
void launch_patch_pool(StepBuilder& step, const ConvolutionProblem& problem, const ir::Node& pool,
                       const PatchJoin& join, const PatchSetting& setting, const OwnOperands& operands,
                       const Expr& divisor);

}  // namespace stitch::kernels
