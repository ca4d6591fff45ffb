// SPDX-License-Identifier: Apache-2.0
// Direct convolution in fp32 (runtime/kernels/conv/direct.cuh): its settings, and what they cost.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernels/conv/problem.h"
#include "kernels/template/kernel_template.h"

namespace stitch::kernels {

// "direct_64": output channels that a block sums up, of which none is more than the problem has, but for the last
// eight. Empty where the skeleton cannot compute it: groups, transposed, or a window too large for shared memory.
std::vector<Setting> direct_settings(const ConvolutionProblem& problem);
// Output channels of a block; nullopt for a setting of other skeletons.
std::optional<int64_t> direct_channels(const Setting& setting);
// "stitch::DirectTile<64>"
std::string direct_tile(int64_t channels);
void add_direct_work(const ConvolutionProblem& problem, int64_t channels, Work& work);

}  // namespace stitch::kernels
