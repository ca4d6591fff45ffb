// SPDX-License-Identifier: Apache-2.0
#include "kernels/norm/layer_norm.h"

#include "ir/graph/op.h"
#include "kernels/rows/cluster_rows.h"
#include "kernels/rows/held_rows.h"
#include "kernels/rows/lanes.h"
#include "kernels/rows/row_functors.h"

namespace stitch::kernels {
namespace {

RowAxes axes_of(const Group& group) { return layer_norm_axes(*group.graph, group.root_node()); }

class LayerNorm final : public KernelTemplate {
 public:
  const char* name() const override { return "layer_norm"; }

  bool is_root(const ir::Graph& graph, const ir::Node& node) const override {
    return node.op == ir::Op::kLayerNorm && graph.type(node.outputs[0]).dtype != DataType::kFloat64;
  }

  std::vector<Setting> space(const Group& group, const DeviceLimits& limits, MathMode) const override {
    std::vector<Setting> settings = row_settings();
    const std::vector<Setting> shared = shared_row_settings(axes_of(group));
    settings.insert(settings.end(), shared.begin(), shared.end());
    const std::vector<Setting> held = held_row_settings(axes_of(group), limits);
    settings.insert(settings.end(), held.begin(), held.end());
    const std::vector<Setting> clusters = cluster_row_settings(axes_of(group), limits);
    settings.insert(settings.end(), clusters.begin(), clusters.end());
    const std::vector<Setting> lanes = short_row_settings(axes_of(group).column_count);
    settings.insert(settings.end(), lanes.begin(), lanes.end());
    return settings;
  }

  bool allows(const Group& group, const Setting& setting) const override {
    return allows_shared_row(setting) || is_held_row(setting) || is_cluster_row(setting) ||
           allows_lanes(setting, axes_of(group).column_count) || KernelTemplate::allows(group, setting);
  }

  Work work(const Group& group, const Setting& setting) const override {
    if (is_shared_row(setting)) {
      return shared_row_work(group, axes_of(group), setting);
    }
    if (is_held_row(setting)) {
      return held_row_work(group, axes_of(group), setting);
    }
    if (is_cluster_row(setting)) {
      return cluster_row_work(group, axes_of(group), setting);
    }
    return is_lanes(setting) ? short_row_work(group, axes_of(group), setting)
                             : row_work(group, axes_of(group), setting, 2);
  }

  Result<StepDraft> draft(const Group& group, const Setting& setting) const override {
    const ir::Node& node = group.root_node();
    const RowAxes axes = axes_of(group);
    StepBuilder step(group);
    describe(step, setting);
    step.describe("Bound: memory, one read and one write of every element.");
    STITCH_ASSIGN(const LoweredFunctor load, make_row_loader(step, ir::tensor_operand(node, 0), axes, true));
    STITCH_ASSIGN(const LoweredFunctor store, make_layer_norm_store(step, node, axes));
    construct(step, load, "load");
    construct(step, store, "store");
    const Expr epsilon = step.constant("epsilon", float_literal(ir::double_attribute(node, "eps")));
    if (is_cluster_row(setting)) {
      add_cluster_row_shape(step, step.extent("rows", axes.row_count), step.extent("columns", axes.column_count),
                            setting, load, store);
      step.launch("return stitch::launch_layer_norm_cluster<{}>(load, store, shape, {}, stream);",
                  step.int_constant("threads_per_block", cluster_row_threads(setting)), epsilon);
      return step.take();
    }
    add_row_shape(step, axes, {{&load, "load"}, {&store, "store"}});
    constexpr int64_t kAccumulatorBytes = 12;
    if (is_shared_row(setting)) {
      step.set_scratch_bytes(shared_row_scratch_bytes(axes, setting, kAccumulatorBytes));
      step.launch("return stitch::launch_layer_norm_shared(");
      step.launch("    load, store, shape, {}, {}, args->scratch, stream);", epsilon,
                  step.extent("parts", setting.splits, "blocks that share a row"));
      return step.take();
    }
    if (is_lanes(setting)) {
      step.launch("return stitch::launch_layer_norm_lanes<{}, {}>(load, store, shape, {}, stream);",
                  step.int_constant("threads_per_row", lanes_of(setting).of_row),
                  step.int_constant("elements_per_thread", lanes_of(setting).per_thread), epsilon);
      return step.take();
    }
    const bool is_held = is_held_row(setting);
    const RowSettingSize size = is_held ? held_row_size(setting) : row_setting_size(setting);
    const Expr threads = step.int_constant(is_held ? "threads_per_part" : "threads_per_row", size.threads);
    const Expr kept = step.int_constant("elements_per_thread", size.per_thread);
    if (is_held) {
      step.set_scratch_bytes(held_row_scratch_bytes(axes, setting, kAccumulatorBytes));
      step.launch("return stitch::launch_layer_norm_held<{}, {}>(load, store, shape, {}, args->scratch, stream);",
                  threads, kept, epsilon);
    } else {
      step.launch("return stitch::launch_layer_norm<{}, {}>(load, store, shape, {}, stream);", threads, kept, epsilon);
    }
    return step.take();
  }

 private:
  static void describe(StepBuilder& step, const Setting& setting) {
    if (is_held_row(setting)) {
      step.include("kernels/norm/layer_norm_held.cuh");
      step.describe("Access: blocks share a row; each keeps its part until the whole row is read.");
      return;
    }
    if (is_cluster_row(setting)) {
      step.include("kernels/norm/layer_norm_cluster.cuh");
      step.describe("Access: the blocks of a cluster share a row and keep it in their shared memory.");
      return;
    }
    if (is_lanes(setting)) {
      step.include("kernels/norm/layer_norm_lanes.cuh");
      step.describe("Access: some lanes of a warp share a row, of which each has four in flight, and keep them.");
      return;
    }
    const bool is_shared = is_shared_row(setting);
    step.include(is_shared ? "kernels/norm/layer_norm_shared.cuh" : "kernels/norm/layer_norm.cuh");
    step.describe(
        is_shared ? "Access: blocks share a row; each part is read twice, the second time from the cache."
                  : "Access: the threads of a row read neighbouring elements and keep them for both passes (mean, then "
                    "squared distances); a row too long for that is read twice.");
  }
};

}  // namespace

RowAxes layer_norm_axes(const ir::Graph& graph, const ir::Node& node) {
  const std::vector<int64_t>& shape = graph.type(node.outputs[0]).shape;
  const size_t normalised = ir::ints_attribute(node, "normalized_shape").size();
  std::vector<int64_t> columns;
  for (size_t axis = shape.size() - normalised; axis < shape.size(); ++axis) {
    columns.push_back(static_cast<int64_t>(axis));
  }
  return split_axes(shape, columns);
}

Result<LoweredFunctor> make_layer_norm_store(StepBuilder& step, const ir::Node& node, const RowAxes& axes) {
  const Group& group = step.group();
  const ir::ValueId output = node.outputs[0];
  const Domain domain(group.graph->type(output).shape);
  FunctorBuilder builder(step, pascal_case(group.graph->value(group.results[0]).name) + "Store", domain,
                         {{"row", axes.rows}, {"column", axes.columns}});
  const IndexMap map = domain.anchor_map();
  const IndexMap column_map(map.begin() + static_cast<std::ptrdiff_t>(axes.rows.size()), map.end());
  Expr result = bound("value", "values[lane]");
  if (ir::is_tensor(node.operands[1])) {
    STITCH_ASSIGN(Expr weight, builder.value(ir::tensor_operand(node, 1), column_map));
    result = product(std::move(result), std::move(weight));
  }
  if (ir::is_tensor(node.operands[2])) {
    STITCH_ASSIGN(Expr bias, builder.value(ir::tensor_operand(node, 2), column_map));
    result = sum(std::move(result), std::move(bias));
  }
  builder.bind_computation(output, map, std::move(result));
  STITCH_TRY(builder.store_results());
  return builder.finish({.comment = "Scales and shifts a normalised element and stores what follows from it.",
                         .lane_value = "value",
                         .may_take_lanes = true});
}

std::unique_ptr<KernelTemplate> make_layer_norm() { return std::make_unique<LayerNorm>(); }

}  // namespace stitch::kernels
