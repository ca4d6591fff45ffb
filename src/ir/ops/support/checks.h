// SPDX-License-Identifier: Apache-2.0
// What type rules share: operands as tensors, sentences about what does not fit, common extents.
#pragma once

#include <string>
#include <vector>

#include "ir/ops.h"

namespace stitch::ir {

using Types = Result<std::vector<TensorType>>;

// Fails with `message` unless `ok` holds. The caller's operator and place are put in front of it later.
Result<void> require(bool ok, const std::string& message);

// The type of operand i, which must be a tensor; or of one that may be `none`, and is then nullptr.
Result<const TensorType*> tensor_type(const Graph& graph, const Node& node, size_t i);
Result<const TensorType*> optional_tensor_type(const Graph& graph, const Node& node, size_t i);
// The same, which must have this element type.
Result<const TensorType*> tensor_type(const Graph& graph, const Node& node, size_t i, DataType dtype);
// An optional operand that must be a vector of `extent` elements of `dtype`.
Result<void> require_vector(const Graph& graph, const Node& node, size_t i, DataType dtype, int64_t extent);
Result<void> require_floating_point(DataType dtype);

std::string to_string(const std::vector<int64_t>& extents);  // "[2,3]"

// Attribute `name` as an axis of a tensor of this rank; axes are written counted from the front.
Result<size_t> axis_attribute(const Node& node, const char* name, size_t rank);

// The shape that both broadcast to, trailing axes aligned.
Result<std::vector<int64_t>> broadcast_shape(const std::vector<int64_t>& a, const std::vector<int64_t>& b);

// The result's type is the operand's.
Types same_as_operand(const Graph& graph, const Node& node);

}  // namespace stitch::ir
