// SPDX-License-Identifier: Apache-2.0
#include "kernels/reduce/total_store.h"

#include <fmt/format.h>

#include "ir/graph/op.h"
#include "kernels/lowering/functor_builder.h"

namespace stitch::kernels {

Result<LoweredFunctor> make_total_store(StepBuilder& step, const ir::Node& reduction,
                                        const AccumulatorKind& accumulator, const Expr& count,
                                        const std::vector<ir::ValueId>& results) {
  const Group& group = step.group();
  const ir::Graph& graph = *group.graph;
  const Domain domain(graph.type(reduction.outputs[0]).shape);
  std::vector<int> axes;
  for (size_t axis = 0; axis < domain.shape().size(); ++axis) {
    axes.push_back(static_cast<int>(axis));
  }
  FunctorBuilder builder(step, pascal_case(graph.value(results[0]).name) + "Store", domain, {{"row", axes}});
  Expr count_member;
  for (const ir::NodeId id : reductions_behind(group, reduction, results)) {
    const ir::Node& node = graph.node(id);
    if (graph.type(node.outputs[0]).shape != domain.shape()) {
      return failure(ErrorCode::kUnsupportedOperator, "reductions of one step must have results of one shape");
    }
    if (node.op == ir::Op::kMean && accumulator.needs_count && count_member.is_nothing()) {
      count_member = builder.member("float", "count", cast("float", count));
    }
    builder.bind_computation(node.outputs[0], domain.anchor_map(), accumulator.result(node, count_member));
  }
  STITCH_TRY(builder.store_results(results));
  return builder.finish({.comment = "Stores what follows from one finished reduction.",
                         .extra_parameters = fmt::format("const stitch::{}& total", accumulator.type)});
}

}  // namespace stitch::kernels
