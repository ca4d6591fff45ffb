// SPDX-License-Identifier: Apache-2.0
#include "kernels/reduce/reduce_double.h"

#include <fmt/format.h>

#include "kernels/lowering/functor_builder.h"
#include "kernels/lowering/launch_text.h"
#include "kernels/reduce/accumulator.h"
#include "kernels/rows/row_functors.h"
#include "kernels/rows/row_sharing.h"

namespace stitch::kernels {
namespace {

Result<LoweredFunctor> make_load(StepBuilder& step, const RowAxes& axes) {
  const ir::Graph& graph = *step.group().graph;
  const ir::ValueId input = ir::tensor_operand(step.group().root_node(), 0);
  const Domain domain(graph.type(input).shape);
  FunctorBuilder builder(step, pascal_case(graph.value(input).name) + "Load", domain,
                         {{"row", axes.rows}, {"column", axes.columns}});
  STITCH_ASSIGN(Expr element, builder.value(input, domain.anchor_map()));
  return builder.finish(
      {.comment = "Reads one element of a row.", .returns = std::move(element), .return_type = "double"});
}

Result<LoweredFunctor> make_store_double(StepBuilder& step, const std::vector<ir::NodeId>& reductions,
                                         const AccumulatorKind& accumulator, const Expr& count) {
  const Group& group = step.group();
  const ir::Graph& graph = *group.graph;
  const Domain domain(graph.type(group.root_node().outputs[0]).shape);
  std::vector<int> axes;
  for (size_t axis = 0; axis < domain.shape().size(); ++axis) {
    axes.push_back(static_cast<int>(axis));
  }
  FunctorBuilder builder(step, pascal_case(graph.value(group.results[0]).name) + "Store", domain, {{"row", axes}});
  const Expr count_member = builder.member("double", "count", cast("double", count));
  for (const ir::NodeId id : reductions) {
    const ir::Node& node = graph.node(id);
    if (graph.type(node.outputs[0]).shape != domain.shape()) {
      return failure(ErrorCode::kUnsupportedOperator, "reductions of one step have results of one shape");
    }
    builder.bind_computation(node.outputs[0], domain.anchor_map(), accumulator.result(node, count_member));
  }
  STITCH_TRY(builder.store_results());
  return builder.finish(
      {.comment = "Stores what follows from one finished reduction.",
       .extra_parameters = fmt::format("const stitch::double_precision::{}& total", accumulator.type)});
}

class ReduceDouble final : public KernelTemplate {
 public:
  const char* name() const override { return "reduce_double"; }

  bool is_root(const ir::Graph& graph, const ir::Node& node) const override {
    return is_reduction(node) && graph.type(node.outputs[0]).dtype == DataType::kFloat64;
  }

  std::vector<Setting> space(const Group&, const DeviceLimits&, MathMode) const override { return {{"rows_128", 1}}; }

  Work work(const Group& group, const Setting&) const override {
    const RowAxes axes = reduced_axes(group);
    Work work;
    work.bytes = min_bytes(group);
    work.lane_operations = pointwise_operations(group) +
                           2.0 * static_cast<double>(axes.row_count) * static_cast<double>(axes.column_count);
    work.blocks = axes.row_count;
    work.threads_per_block = 128;
    work.blocks_per_multiprocessor = 16;
    work.bandwidth_share = 0.5;
    return work;
  }

  Result<StepDraft> draft(const Group& group, const Setting&) const override {
    const RowAxes axes = reduced_axes(group);
    const std::vector<ir::NodeId> reductions = reductions_of(group);
    STITCH_ASSIGN(const AccumulatorKind accumulator, choose_accumulator(*group.graph, reductions));
    StepBuilder step(group);
    step.include("kernels/reduce/double_precision.cuh");
    step.describe("Access: the threads of a block share a row.");
    step.describe("Bound: memory, one read of every element.");
    STITCH_ASSIGN(const LoweredFunctor load, make_load(step, axes));
    const Expr reduced = step.extent("reduced", axes.column_count, "elements summed up in one result");
    STITCH_ASSIGN(const LoweredFunctor store, make_store_double(step, reductions, accumulator, reduced));
    construct(step, load, "load");
    construct(step, store, "store");
    const Expr kept = step.extent("kept", axes.row_count, "results");
    step.launch("return stitch::double_precision::launch_reduce<stitch::double_precision::{}>(", accumulator.type);
    step.launch("    load, store, {}, {}, stream);", kept, reduced);
    return step.take();
  }
};

}  // namespace

std::unique_ptr<KernelTemplate> make_reduce_double() { return std::make_unique<ReduceDouble>(); }

}  // namespace stitch::kernels
