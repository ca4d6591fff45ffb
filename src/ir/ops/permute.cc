// SPDX-License-Identifier: Apache-2.0
// Axes in another order: axis i of the result is axis dims[i] of the operand.
#include <fmt/format.h>

#include "ir/ops/support/checks.h"
#include "ir/ops/support/gather.h"

namespace stitch::ir {
namespace {

Types infer(const Graph& graph, const Node& node) {
  STITCH_ASSIGN(const TensorType* x, tensor_type(graph, node, 0));
  const std::vector<int64_t>& dims = ints_attribute(node, "dims");
  const auto rank = static_cast<int64_t>(x->shape.size());
  std::vector<bool> seen(x->shape.size(), false);
  TensorType result{x->dtype, {}};
  for (const int64_t axis : dims) {
    const bool is_new = axis >= 0 && axis < rank && !seen[static_cast<size_t>(axis)];
    STITCH_TRY(require(is_new, fmt::format("dims {} is not an order of {} axes", to_string(dims), rank)));
    seen[static_cast<size_t>(axis)] = true;
    result.shape.push_back(x->shape[static_cast<size_t>(axis)]);
  }
  STITCH_TRY(require(result.shape.size() == x->shape.size(),
                     fmt::format("dims {} is not an order of {} axes", to_string(dims), rank)));
  return std::vector<TensorType>{result};
}

int64_t source(const Node& node, const Position& position, const std::vector<int64_t>& shape) {
  const std::vector<int64_t>& dims = ints_attribute(node, "dims");
  Position from(position.size());
  for (size_t i = 0; i < dims.size(); ++i) {
    from[static_cast<size_t>(dims[i])] = position[i];
  }
  return index_of(from, shape);
}

}  // namespace

OpDef permute_def() {
  return {.attributes = {{"dims", AttributeKind::kInts}},
          .infer = infer,
          .reference = [](const Graph& graph, const Node& node, const auto& operands) {
            return moved_elements(graph, node, *operands[0], source);
          }};
}

}  // namespace stitch::ir
