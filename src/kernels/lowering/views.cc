// SPDX-License-Identifier: Apache-2.0
#include "kernels/lowering/views.h"

#include <algorithm>

#include "ir/graph/op.h"

namespace stitch::kernels {
namespace {

IndexMap sliced(const ir::Node& node, const IndexMap& map) {
  IndexMap result = map;
  AffineIndex& index = result[static_cast<size_t>(ir::int_attribute(node, "dim"))];
  const int64_t step = ir::int_attribute(node, "step");
  index.offset = ir::int_attribute(node, "start") + index.offset * step;
  for (Term& term : index.terms) {
    term.coefficient *= step;
  }
  return result;
}

IndexMap window_elements(const ir::Node& node, const IndexMap& map) {
  IndexMap result(map.begin(), map.end() - 1);
  AffineIndex& index = result[static_cast<size_t>(ir::int_attribute(node, "dim"))];
  const int64_t step = ir::int_attribute(node, "step");
  index.offset = index.offset * step + map.back().offset;
  for (Term& term : index.terms) {
    term.coefficient *= step;
  }
  for (const Term& term : map.back().terms) {
    const auto known = std::find_if(index.terms.begin(), index.terms.end(),
                                    [&](const Term& other) { return other.loop == term.loop; });
    if (known == index.terms.end()) {
      index.terms.push_back(term);
    } else {
      known->coefficient += term.coefficient;
    }
  }
  return result;
}

}  // namespace

std::optional<IndexMap> view_operand_map(const ir::Graph& graph, const ir::Node& node, const IndexMap& map,
                                         Domain& domain) {
  const std::vector<int64_t>& from = graph.type(ir::tensor_operand(node, 0)).shape;
  const std::vector<int64_t>& to = graph.type(node.outputs[0]).shape;
  if (node.op == ir::Op::kPermute) {
    IndexMap result(map.size());
    const std::vector<int64_t>& dims = ir::ints_attribute(node, "dims");
    for (size_t i = 0; i < dims.size(); ++i) {
      result[static_cast<size_t>(dims[i])] = map[i];
    }
    return result;
  }
  if (node.op == ir::Op::kExpand) {
    return broadcast(map, to, from);
  }
  if (node.op == ir::Op::kSlice) {
    return sliced(node, map);
  }
  if (node.op == ir::Op::kUnfold) {
    return window_elements(node, domain.current(map));
  }
  if (node.op == ir::Op::kSelect) {
    IndexMap result = map;
    result.insert(result.begin() + ir::int_attribute(node, "dim"), AffineIndex{ir::int_attribute(node, "index"), {}});
    return result;
  }
  return node.op == ir::Op::kReshape ? domain.reshape(map, to, from) : std::nullopt;
}

std::optional<IndexMap> view_result_map(const ir::Graph& graph, const ir::Node& node, const IndexMap& map,
                                        Domain& domain) {
  if (node.op == ir::Op::kPermute) {
    IndexMap result;
    for (const int64_t axis : ir::ints_attribute(node, "dims")) {
      result.push_back(map[static_cast<size_t>(axis)]);
    }
    return result;
  }
  if (node.op == ir::Op::kReshape) {
    return domain.reshape(map, graph.type(ir::tensor_operand(node, 0)).shape, graph.type(node.outputs[0]).shape);
  }
  return std::nullopt;
}

}  // namespace stitch::kernels
