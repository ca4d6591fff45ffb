// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv/joined_element.h"

#include "kernels/conv/window.h"

namespace stitch::kernels {

std::vector<Coordinate> pixel_coordinates(size_t rank, const std::string& prefix) {
  std::vector<Coordinate> coordinates = {{"image", {0}}, {"channel", {1}}};
  for (const std::string& name : axis_names(rank - 2, prefix)) {
    coordinates.push_back({name, {static_cast<int>(coordinates.size())}});
  }
  return coordinates;
}

Result<LoweredFunctor> make_joined_element(StepBuilder& step, ir::ValueId value) {
  const ir::Graph& graph = *step.group().graph;
  const ir::Node& root = step.group().root_node();
  const Domain domain(graph.type(root.outputs[0]).shape);
  FunctorBuilder builder(step, pascal_case(graph.value(value).name) + "Element", domain,
                         pixel_coordinates(domain.shape().size(), "out_"));
  const IndexMap map = domain.anchor_map();
  if (root.operands.size() > 2 && ir::is_tensor(root.operands[2])) {
    STITCH_ASSIGN(Expr bias, builder.value(ir::tensor_operand(root, 2), {map[1]}));
    builder.bind_computation(root.outputs[0], map, sum(bound("accumulator"), std::move(bias)));
  } else {
    builder.bind(root.outputs[0], map, bound("accumulator"));
  }
  STITCH_ASSIGN(Expr element, builder.value(value, map));
  return builder.finish({.comment = "What is pooled, from one output pixel of one channel.",
                         .extra_parameters = "float accumulator",
                         .returns = std::move(element)});
}

}  // namespace stitch::kernels
