// SPDX-License-Identifier: Apache-2.0
// One position along dim; the axis is dropped.
#include <fmt/format.h>

#include "ir/ops/support/checks.h"
#include "ir/ops/support/gather.h"

namespace stitch::ir {
namespace {

Types infer(const Graph& graph, const Node& node) {
  STITCH_ASSIGN(const TensorType* x, tensor_type(graph, node, 0));
  STITCH_ASSIGN(const size_t axis, axis_attribute(node, "dim", x->shape.size()));
  const int64_t index = int_attribute(node, "index");
  STITCH_TRY(require(index >= 0 && index < x->shape[axis],
                     fmt::format("index {} is not within extent {}", index, x->shape[axis])));
  TensorType result = *x;
  result.shape.erase(result.shape.begin() + static_cast<std::ptrdiff_t>(axis));
  return std::vector<TensorType>{result};
}

int64_t source(const Node& node, const Position& position, const std::vector<int64_t>& shape) {
  Position from = position;
  from.insert(from.begin() + int_attribute(node, "dim"), int_attribute(node, "index"));
  return index_of(from, shape);
}

}  // namespace

OpDef select_def() {
  return {.attributes = {{"dim", AttributeKind::kInt}, {"index", AttributeKind::kInt}},
          .infer = infer,
          .reference = [](const Graph& graph, const Node& node, const auto& operands) {
            return moved_elements(graph, node, *operands[0], source);
          }};
}

}  // namespace stitch::ir
