// SPDX-License-Identifier: Apache-2.0
// Elements start, start + step, ... below end along dim. Bounds are within the extent: clamping was the importer's.
#include <fmt/format.h>

#include "ir/ops/support/checks.h"
#include "ir/ops/support/gather.h"

namespace stitch::ir {
namespace {

Types infer(const Graph& graph, const Node& node) {
  STITCH_ASSIGN(const TensorType* x, tensor_type(graph, node, 0));
  STITCH_ASSIGN(const size_t axis, axis_attribute(node, "dim", x->shape.size()));
  const int64_t start = int_attribute(node, "start");
  const int64_t end = int_attribute(node, "end");
  const int64_t step = int_attribute(node, "step");
  STITCH_TRY(require(start >= 0 && start <= end && end <= x->shape[axis],
                     fmt::format("{}..{} is not within extent {}", start, end, x->shape[axis])));
  STITCH_TRY(require(step >= 1, fmt::format("step {} is not positive", step)));
  TensorType result = *x;
  result.shape[axis] = end == start ? 0 : (end - start - 1) / step + 1;
  return std::vector<TensorType>{result};
}

int64_t source(const Node& node, const Position& position, const std::vector<int64_t>& shape) {
  Position from = position;
  int64_t& along = from[static_cast<size_t>(int_attribute(node, "dim"))];
  along = int_attribute(node, "start") + along * int_attribute(node, "step");
  return index_of(from, shape);
}

}  // namespace

OpDef slice_def() {
  return {.attributes = {{"dim", AttributeKind::kInt},
                         {"start", AttributeKind::kInt},
                         {"end", AttributeKind::kInt},
                         {"step", AttributeKind::kInt}},
          .infer = infer,
          .reference = [](const Graph& graph, const Node& node, const auto& operands) {
            return moved_elements(graph, node, *operands[0], source);
          }};
}

}  // namespace stitch::ir
