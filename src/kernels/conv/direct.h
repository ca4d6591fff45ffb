// SPDX-License-Identifier: Apache-2.0
// Direct convolution in fp32 (runtime/kernels/conv/direct.cuh): its settings, and what they cost.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernels/conv/problem.h"
#include "kernels/template/kernel_template.h"

namespace stitch::kernels {

// Outputs below each other of one thread, and beside each other of a warp, as the skeleton has them.
constexpr int64_t kDirectRowsOfThread = 8;
constexpr int64_t kDirectColumns = 32;

// Whether the skeleton can compute it with so many output channels a block: no groups, not transposed, and a window
// that shared memory has room for.
bool allows_direct(const ConvolutionProblem& problem, int64_t channels);
// Those worth trying ("direct_64"): with no more channels a block than the problem has, rounded up to eight.
std::vector<Setting> direct_settings(const ConvolutionProblem& problem);
// Output channels of a block; nullopt for a setting of other skeletons.
std::optional<int64_t> direct_channels(const Setting& setting);
// Rows of a block's tile, for so many channels: fewer where the problem's rows leave much of the most empty.
int64_t direct_rows(const ConvolutionProblem& problem, int64_t channels);
// "stitch::DirectTile<64>", or, of fewer rows, "stitch::DirectTile<8, 128>"
std::string direct_tile(const ConvolutionProblem& problem, int64_t channels);
void add_direct_work(const ConvolutionProblem& problem, int64_t channels, Work& work);

}  // namespace stitch::kernels
