// SPDX-License-Identifier: Apache-2.0
#include "kernels/norm/pooled.h"

#include <fmt/format.h>

#include <functional>
#include <numeric>

#include "ir/graph/op.h"
#include "kernels/group/joined_pool.h"
#include "kernels/lowering/functor_builder.h"
#include "kernels/lowering/launch_text.h"
#include "kernels/rows/lanes.h"
#include "kernels/rows/row_functors.h"

namespace stitch::kernels {
namespace {

using ir::Op;

constexpr int64_t kWindowColumns = 4;  // which a window's width divides

bool is_window_pool(const ir::Node& node) {
  return is_max_pool(node) || node.op == Op::kAvgPool2d || node.op == Op::kAvgPool3d;
}

const std::vector<int64_t>& shape_of(const Group& group, ir::ValueId value) { return group.graph->type(value).shape; }

// Whole windows of the last axes, of which each lies within the elements of one thread along the row.
bool takes_windows(const Group& group, const ir::Node& pool) {
  const std::vector<int64_t>& kernel = ir::ints_attribute(pool, "kernel_size");
  constexpr int64_t kMostRows = 32;  // all of them are written out
  return has_whole_windows(*group.graph, pool) && kWindowColumns % kernel.back() == 0 &&
         std::accumulate(kernel.begin(), kernel.end() - 1, int64_t{1}, std::multiplies<>()) <= kMostRows;
}

// The pool that the skeleton can take of what this group's root normalises; null where it can not.
const ir::Node* taken_pool(const Group& group) {
  const ir::Graph& graph = *group.graph;
  const ir::Node& root = group.root_node();
  const ir::Node* pool = only_node_beside_root(group);
  if (pool == nullptr || !is_window_pool(*pool) || ir::ints_attribute(root, "normalized_shape").size() != 1 ||
      graph.type(ir::tensor_operand(*pool, 0)) != graph.type(root.outputs[0]) ||
      graph.type(root.outputs[0]).dtype != DataType::kFloat32 || !takes_windows(group, *pool)) {
    return nullptr;
  }
  return pool;
}

// Rows of all axes but the last.
RowAxes last_axis_rows(const std::vector<int64_t>& shape) {
  return split_axes(shape, {static_cast<int64_t>(shape.size()) - 1});
}

Result<LoweredFunctor> make_element(StepBuilder& step, const ir::Node& pool) {
  const ir::Graph& graph = *step.group().graph;
  const ir::Node& root = step.group().root_node();
  const ir::ValueId pooled = ir::tensor_operand(pool, 0);
  const Domain domain(graph.type(root.outputs[0]).shape);
  const RowAxes axes = last_axis_rows(domain.shape());
  FunctorBuilder builder(step, pascal_case(graph.value(pooled).name) + "Element", domain,
                         {{"row", axes.rows}, {"column", axes.columns}});
  const IndexMap map = domain.anchor_map();
  Expr result = bound("value");
  if (ir::is_tensor(root.operands[1])) {
    STITCH_ASSIGN(Expr weight, builder.value(ir::tensor_operand(root, 1), {map.back()}));
    result = product(std::move(result), std::move(weight));
  }
  if (ir::is_tensor(root.operands[2])) {
    STITCH_ASSIGN(Expr bias, builder.value(ir::tensor_operand(root, 2), {map.back()}));
    result = sum(std::move(result), std::move(bias));
  }
  builder.bind_computation(root.outputs[0], map, std::move(result));
  STITCH_ASSIGN(Expr element, builder.value(pooled, map));
  return builder.finish({.comment = "What is pooled, from one normalised element.",
                         .extra_parameters = "float value",
                         .returns = std::move(element)});
}

Result<LoweredFunctor> make_pooled_store(StepBuilder& step, const ir::Node& pool) {
  const ir::Graph& graph = *step.group().graph;
  const Domain domain(graph.type(pool.outputs[0]).shape);
  const RowAxes axes = last_axis_rows(domain.shape());
  FunctorBuilder builder(step, pascal_case(graph.value(step.group().results[0]).name) + "Store", domain,
                         {{"row", axes.rows}, {"column", axes.columns}});
  builder.bind(pool.outputs[0], domain.anchor_map(), bound("value", "values[lane]"));
  STITCH_TRY(builder.store_results());
  return builder.finish({.comment = "Stores what follows from one pooled element, or kLanes neighbouring ones.",
                         .lane_value = "value",
                         .may_take_lanes = true});
}

// "stitch::PoolBlock<stitch::MeanOfWindow, 2, 2, 2>".
std::string pool_type(const ir::Node& pool) {
  const std::vector<int64_t>& kernel = ir::ints_attribute(pool, "kernel_size");
  return fmt::format("stitch::PoolBlock<stitch::{}, {}, {}, {}>",
                     is_max_pool(pool) ? "LargestOfWindow" : "MeanOfWindow", kernel.size() > 2 ? kernel[0] : 1,
                     kernel[kernel.size() - 2], kernel.back());
}

void add_shape(StepBuilder& step, const ir::Node& pool, const LoweredFunctor& load, const LoweredFunctor& store) {
  const std::vector<int64_t>& in = shape_of(step.group(), ir::tensor_operand(pool, 0));
  const std::vector<int64_t>& out = shape_of(step.group(), pool.outputs[0]);
  const size_t axes = ir::ints_attribute(pool, "kernel_size").size();
  const auto planes =
      std::accumulate(in.begin(), in.end() - static_cast<int64_t>(axes), int64_t{1}, std::multiplies<>());
  const Expr columns = step.extent("columns", in.back());
  const Expr out_columns = step.extent("out_columns", out.back(), "of the pooled rows");
  const Expr loads = prove_vectorised(step, columns, {{&load, "load"}});
  const Expr stores = prove_vectorised(step, out_columns, {{&store, "store"}}, "_store");
  const auto depth = [&](const std::vector<int64_t>& shape) { return axes > 2 ? shape[shape.size() - 3] : 1; };
  step.launch("const stitch::NormPoolShape shape{");
  step.launch("    .planes = {},", step.extent("planes", planes));
  step.launch("    .depth = {},", step.extent("depth", depth(in)));
  step.launch("    .height = {},", step.extent("height", in[in.size() - 2]));
  step.launch("    .columns = {},", columns);
  step.launch("    .out_depth = {},", step.extent("out_depth", depth(out)));
  step.launch("    .out_height = {},", step.extent("out_height", out[out.size() - 2]));
  step.launch("    .out_columns = {},", out_columns);
  step.launch("    .loads_lanes = {},", loads);
  step.launch("    .stores_lanes = {},", stores);
  step.launch("};");
}

class PooledLayerNorm final : public KernelTemplate {
 public:
  const char* name() const override { return kPooledLayerNorm; }

  // Never the first to say so: layer normalisation comes before it.
  bool is_root(const ir::Graph& graph, const ir::Node& node) const override {
    return node.op == Op::kLayerNorm && graph.type(node.outputs[0]).dtype == DataType::kFloat32;
  }

  std::vector<Setting> space(const Group& group, const DeviceLimits&, MathMode) const override {
    return taken_pool(group) != nullptr ? lane_settings(columns_of(group)) : std::vector<Setting>{};
  }

  bool allows(const Group& group, const Setting& setting) const override {
    return taken_pool(group) != nullptr && allows_lanes(setting, columns_of(group));
  }

  Work work(const Group& group, const Setting& setting) const override {
    constexpr double kOfElement = 24;  // two passes, the merges of a row among its lanes, and the window
    const RowLanes& lanes = lanes_of(setting);
    const ir::Node& pool = *taken_pool(group);
    const int64_t columns = columns_of(group);
    const int64_t pooled_rows =
        group.graph->type(pool.outputs[0]).element_count() / shape_of(group, pool.outputs[0]).back();
    const int64_t rows_per_block = kLaneBlockThreads / lanes.of_row;
    Work work;
    work.bytes = min_bytes(group);
    work.lane_operations =
        pointwise_operations(group) +
        kOfElement * static_cast<double>(group.graph->type(group.root_node().outputs[0]).element_count());
    work.bandwidth_share = lanes_bandwidth_share(lanes, columns);
    work.blocks = (pooled_rows + rows_per_block - 1) / rows_per_block;
    work.threads_per_block = kLaneBlockThreads;
    work.blocks_per_multiprocessor = lanes.per_thread > 8 ? 5 : 8;
    return work;
  }

  Result<StepDraft> draft(const Group& group, const Setting& setting) const override {
    const ir::Node* pool = taken_pool(group);
    if (pool == nullptr) {
      return failure(ErrorCode::kUnsupportedOperator,
                     "what follows the normalisation is no pool of whole windows over its rows");
    }
    const ir::Node& node = group.root_node();
    const RowLanes& lanes = lanes_of(setting);
    StepBuilder step(group);
    step.include("kernels/norm/layer_norm_pool.cuh");
    step.describe(
        "Access: lanes of a warp read all rows under a row of windows, normalise each in registers and join them: what "
        "is normalised is never written.");
    step.describe("Bound: memory, one read of the input and one write of what is pooled.");
    STITCH_ASSIGN(const LoweredFunctor load, make_row_loader(step, ir::tensor_operand(node, 0),
                                                             last_axis_rows(shape_of(group, node.outputs[0])), true));
    construct(step, load, "load");
    STITCH_ASSIGN(const LoweredFunctor element, make_element(step, *pool));
    construct(step, element, "element");
    STITCH_ASSIGN(const LoweredFunctor store, make_pooled_store(step, *pool));
    construct(step, store, "store");
    add_shape(step, *pool, load, store);
    const Expr epsilon = step.constant("epsilon", float_literal(ir::double_attribute(node, "eps")));
    const Expr threads = step.int_constant("threads_per_row", lanes.of_row);
    const Expr kept = step.int_constant("elements_per_thread", lanes.per_thread);
    step.launch("// The window's depth, height and width, and how its elements are joined.");
    step.launch("using Pool = {};", pool_type(*pool));
    step.launch("return stitch::launch_layer_norm_pool<Pool, {}, {}>(load, element, store, shape, {}, {}, stream);",
                threads, kept, epsilon, literal_expr(float_literal(static_cast<double>(window_divisor(*pool)))));
    return step.take();
  }

 private:
  static int64_t columns_of(const Group& group) { return shape_of(group, group.root_node().outputs[0]).back(); }
};

}  // namespace

std::unique_ptr<KernelTemplate> make_pooled_layer_norm() { return std::make_unique<PooledLayerNorm>(); }

}  // namespace stitch::kernels
