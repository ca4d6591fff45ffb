// SPDX-License-Identifier: Apache-2.0
// The operand broadcast to `shape`: extents of one repeated, new axes in front.
#include <fmt/format.h>

#include "ir/ops/support/checks.h"
#include "ir/ops/support/gather.h"

namespace stitch::ir {
namespace {

Types infer(const Graph& graph, const Node& node) {
  STITCH_ASSIGN(const TensorType* x, tensor_type(graph, node, 0));
  const std::vector<int64_t>& shape = ints_attribute(node, "shape");
  const auto broadcast = broadcast_shape(x->shape, shape);
  STITCH_TRY(require(broadcast.has_value() && *broadcast == shape,
                     fmt::format("{} does not broadcast to {}", to_string(x->shape), to_string(shape))));
  return std::vector<TensorType>{{x->dtype, shape}};
}

}  // namespace

OpDef expand_def() {
  return {.attributes = {{"shape", AttributeKind::kInts}},
          .infer = infer,
          .reference = [](const Graph& graph, const Node& node, const auto& operands) {
            return moved_elements(graph, node, *operands[0],
                                  [](const Node&, const Position& position, const std::vector<int64_t>& shape) {
                                    return broadcast_index(position, shape);
                                  });
          }};
}

}  // namespace stitch::ir
