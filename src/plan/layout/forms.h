// SPDX-License-Identifier: Apache-2.0
// Which nodes have a form for operands with channels last, and what it is.
#pragma once

#include <optional>
#include <vector>

#include "ir/graph/graph.h"

namespace stitch::plan {

// How a node computes on values with channels last.
enum class LastForm {
  kNone,
  kConvolution,  // views on both sides; cuDNN and our own kernels look at strides
  kElementwise,  // the same, on permuted operands
  kPool,         // windows of one channel more, along three axes
  kReduction,    // over the same axes at their new places
  kSoftmax,      // along its axis at its new place
  kCat           // along its axis at its new place
};
LastForm last_form(const ir::Graph& graph, const ir::Node& node);

// Whether images of this value can lie with channels last: one axis of images, one of channels, two or three more.
bool has_channels(const TensorType& type);
// The place of axis `axis` with channels last.
int64_t last_axis(int64_t axis, size_t rank);
// Whether an operand of an elementwise node is so small beside its result that reading it as it lies costs nothing.
bool is_small_beside(const TensorType& operand, const TensorType& result);

}  // namespace stitch::plan
