// SPDX-License-Identifier: Apache-2.0
#include "kernels/lowering/strided_view.h"

#include "ir/graph/op.h"
#include "kernels/lowering/digits.h"
#include "kernels/lowering/views.h"

namespace stitch::kernels {

std::optional<StridedView> strided_view(const Group& group, ir::ValueId value) {
  const ir::Graph& graph = *group.graph;
  Domain domain(graph.type(value).shape);
  IndexMap map = domain.anchor_map();
  ir::ValueId at = value;
  std::vector<int64_t> shape = graph.type(value).shape;  // as `map` sees what is in memory
  while (group.computes(at)) {
    const ir::Node& node = graph.node(graph.value(at).producer);
    if (node.op == ir::Op::kReshape && !group.computes(ir::tensor_operand(node, 0))) {
      at = ir::tensor_operand(node, 0);  // the same elements in the same order, whatever the shape
      break;
    }
    const auto next = is_view(node) ? view_operand_map(graph, node, map, domain) : std::nullopt;
    if (!next.has_value()) {
      return std::nullopt;
    }
    map = *next;
    at = ir::tensor_operand(node, 0);
    shape = graph.type(at).shape;
  }
  const AffineIndex linear = domain.current(IndexMap{linear_index(map, shape)})[0];
  StridedView view{at, linear.offset, {}};
  const auto rank = static_cast<int>(graph.type(value).shape.size());
  for (int axis = 0; axis < rank; ++axis) {
    // A split axis still has one stride when its parts follow one another.
    const std::vector<Digit> digits = digits_of(domain, {"", {axis}}, {linear});
    if (digits.size() > 1) {
      return std::nullopt;
    }
    view.strides.push_back(digits.empty() ? 0 : coefficient(linear, digits[0].innermost_loop));
  }
  return view;
}

}  // namespace stitch::kernels
