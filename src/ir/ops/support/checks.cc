// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/support/checks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace stitch::ir {

Result<void> require(bool ok, const std::string& message) {
  if (!ok) {
    return failure(ErrorCode::kProgramInvalid, message);
  }
  return {};
}

Result<const TensorType*> tensor_type(const Graph& graph, const Node& node, size_t i) {
  STITCH_TRY(require(is_tensor(node.operands[i]), fmt::format("operand {} must be a tensor", i)));
  return &graph.type(std::get<ValueId>(node.operands[i]));
}

Result<const TensorType*> optional_tensor_type(const Graph& graph, const Node& node, size_t i) {
  if (std::holds_alternative<Absent>(node.operands[i])) {
    return nullptr;
  }
  return tensor_type(graph, node, i);
}

Result<const TensorType*> tensor_type(const Graph& graph, const Node& node, size_t i, DataType dtype) {
  STITCH_ASSIGN(const TensorType* type, tensor_type(graph, node, i));
  STITCH_TRY(require(type->dtype == dtype, fmt::format("operand {} is {}, not {}", i, stitch::to_string(type->dtype),
                                                       stitch::to_string(dtype))));
  return type;
}

Result<void> require_vector(const Graph& graph, const Node& node, size_t i, DataType dtype, int64_t extent) {
  STITCH_ASSIGN(const TensorType* type, optional_tensor_type(graph, node, i));
  if (type == nullptr) {
    return {};
  }
  return require(*type == TensorType{dtype, {extent}},
                 fmt::format("operand {} is {}{}, not {}[{}]", i, short_name(type->dtype), to_string(type->shape),
                             short_name(dtype), extent));
}

Result<void> require_floating_point(DataType dtype) {
  return require(is_floating_point(dtype), fmt::format("{} is not a floating-point type", stitch::to_string(dtype)));
}

std::string to_string(const std::vector<int64_t>& extents) { return fmt::format("[{}]", fmt::join(extents, ",")); }

Result<size_t> axis_attribute(const Node& node, const char* name, size_t rank) {
  const int64_t axis = int_attribute(node, name);
  STITCH_TRY(require(axis >= 0 && axis < static_cast<int64_t>(rank),
                     fmt::format("{} {} is not one of the {} axes", name, axis, rank)));
  return static_cast<size_t>(axis);
}

Result<std::vector<int64_t>> broadcast_shape(const std::vector<int64_t>& a, const std::vector<int64_t>& b) {
  const size_t rank = std::max(a.size(), b.size());
  std::vector<int64_t> shape(rank);
  for (size_t from_end = 1; from_end <= rank; ++from_end) {
    const int64_t extent_a = from_end <= a.size() ? a[a.size() - from_end] : 1;
    const int64_t extent_b = from_end <= b.size() ? b[b.size() - from_end] : 1;
    STITCH_TRY(require(extent_a == extent_b || extent_a == 1 || extent_b == 1,
                       fmt::format("shapes {} and {} do not broadcast", to_string(a), to_string(b))));
    shape[rank - from_end] = extent_a == 1 ? extent_b : extent_a;
  }
  return shape;
}

Types same_as_operand(const Graph& graph, const Node& node) {
  STITCH_ASSIGN(const TensorType* type, tensor_type(graph, node, 0));
  return std::vector<TensorType>{*type};
}

}  // namespace stitch::ir
