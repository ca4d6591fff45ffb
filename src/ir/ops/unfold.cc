// SPDX-License-Identifier: Apache-2.0
// Windows of `size` elements, `step` apart, along dim: element j of window i is x[i * step + j]. The windows stand
// along dim, their elements along a new last axis. Windows may overlap: it is a view all the same.
#include <fmt/format.h>

#include "ir/ops/support/checks.h"
#include "ir/ops/support/gather.h"

namespace stitch::ir {
namespace {

Types infer(const Graph& graph, const Node& node) {
  STITCH_ASSIGN(const TensorType* x, tensor_type(graph, node, 0));
  STITCH_ASSIGN(const size_t axis, axis_attribute(node, "dim", x->shape.size()));
  const int64_t size = int_attribute(node, "size");
  const int64_t step = int_attribute(node, "step");
  STITCH_TRY(require(size >= 1 && size <= x->shape[axis],
                     fmt::format("windows of {} do not fit into extent {}", size, x->shape[axis])));
  STITCH_TRY(require(step >= 1, fmt::format("step {} is not positive", step)));
  TensorType result = *x;
  result.shape[axis] = (x->shape[axis] - size) / step + 1;
  result.shape.push_back(size);
  return std::vector<TensorType>{result};
}

int64_t source(const Node& node, const Position& position, const std::vector<int64_t>& shape) {
  Position from(position.begin(), position.end() - 1);
  int64_t& along = from[static_cast<size_t>(int_attribute(node, "dim"))];
  along = along * int_attribute(node, "step") + position.back();
  return index_of(from, shape);
}

}  // namespace

OpDef unfold_def() {
  return {.attributes = {{"dim", AttributeKind::kInt}, {"size", AttributeKind::kInt}, {"step", AttributeKind::kInt}},
          .infer = infer,
          .reference = [](const Graph& graph, const Node& node, const auto& operands) {
            return moved_elements(graph, node, *operands[0], source);
          }};
}

}  // namespace stitch::ir
