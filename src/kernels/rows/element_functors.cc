// SPDX-License-Identifier: Apache-2.0
#include "kernels/rows/element_functors.h"

namespace stitch::kernels {

std::string element_type(const ir::Graph& graph, ir::ValueId value) {
  return to_string(compute_type(graph.type(value).dtype));
}

Result<LoweredFunctor> make_element_loader(StepBuilder& step, ir::ValueId input, const RowAxes& axes) {
  const ir::Graph& graph = *step.group().graph;
  const Domain domain(graph.type(input).shape);
  FunctorBuilder builder(step, pascal_case(graph.value(input).name) + "Load", domain,
                         {{"row", axes.rows}, {"column", axes.columns}});
  STITCH_ASSIGN(Expr element, builder.value(input, domain.anchor_map()));
  return builder.finish({.comment = "Reads one element of a row.",
                         .returns = std::move(element),
                         .return_type = element_type(graph, input)});
}

}  // namespace stitch::kernels
