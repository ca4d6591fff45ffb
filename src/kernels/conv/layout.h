// SPDX-License-Identifier: Apache-2.0
// How the tensors of a convolution lie in memory. Its node has channels first; behind views they may lie with channels
// last: (image, y, x, channel), a weight (out_channels, y, x, channel of the group).
#pragma once

#include <optional>
#include <vector>

#include "kernels/group/group.h"

namespace stitch::kernels {

struct ConvolutionLayout {
  // Both are true where there is one channel or one pixel.
  bool input_first = true;
  bool input_last = false;
  bool weight_first = true;
  bool weight_last = false;
  bool sums_last = false;  // the step's only result is what the convolution sums up, with channels last
};

// Of a group whose root is a convolution that reads both operands from memory.
ConvolutionLayout convolution_layout(const Group& group);

// Whether prepare() has the weights, channels first, and the input is another in each call: they are arranged once.
bool keeps_weights(const Group& group);

// Operands of the root that lie in neither order: a skeleton that takes both needs them in memory first.
std::vector<ir::ValueId> operands_without_layout(const Group& group);

// The permutations between the two orders: (0, 2, 3, 1) and (0, 3, 1, 2) for images of two axes.
std::vector<int64_t> to_channels_last(size_t rank);
std::vector<int64_t> to_channels_first(size_t rank);
bool is_to_channels_last(const ir::Node& node);
bool is_to_channels_first(const ir::Node& node);

// The value with channels last that the weight of `convolution` is a view of: how the plan says that its neighbours
// keep that order. nullopt where the weight is as the program has it.
std::optional<ir::ValueId> kept_weight(const ir::Graph& graph, const ir::Node& convolution);
// Whether `node` turns the sums of such a convolution to channels last: their only form in memory.
bool is_kept_sums(const ir::Graph& graph, const ir::Node& node);

}  // namespace stitch::kernels
