// SPDX-License-Identifier: Apache-2.0
#include "kernels/softmax/softmax.h"

#include "ir/graph/op.h"
#include "kernels/rows/row_functors.h"

namespace stitch::kernels {
namespace {

RowAxes axes_of(const Group& group) {
  const ir::Node& node = group.root_node();
  return split_axes(group.graph->type(node.outputs[0]).shape, {ir::int_attribute(node, "dim")});
}

class Softmax final : public KernelTemplate {
 public:
  const char* name() const override { return "softmax"; }

  bool is_root(const ir::Graph& graph, const ir::Node& node) const override {
    return (node.op == ir::Op::kSoftmax || node.op == ir::Op::kLogSoftmax) &&
           graph.type(node.outputs[0]).dtype != DataType::kFloat64;
  }

  std::vector<Setting> space(const Group&, const DeviceLimits&, MathMode) const override { return row_settings(); }

  Work work(const Group& group, const Setting& setting) const override {
    return row_work(group, axes_of(group), setting, 2);
  }

  Result<StepDraft> draft(const Group& group, const Setting& setting) const override {
    const ir::Node& node = group.root_node();
    const RowAxes axes = axes_of(group);
    const ir::ValueId output = node.outputs[0];
    StepBuilder step(group);
    step.include("kernels/softmax/row.cuh");
    step.describe(
        "Access: the threads of a row read neighbouring elements and keep them; a row too long for that is read "
        "twice.");
    step.describe("Bound: memory, one read and one write of every element.");
    STITCH_ASSIGN(const LoweredFunctor load, make_row_loader(step, ir::tensor_operand(node, 0), axes, true));
    const Domain domain(group.graph->type(output).shape);
    FunctorBuilder builder(step, pascal_case(group.graph->value(group.results[0]).name) + "Store", domain,
                           {{"row", axes.rows}, {"column", axes.columns}});
    builder.bind(output, domain.anchor_map(), bound("value", "values[lane]"));
    STITCH_TRY(builder.store_results());
    const LoweredFunctor store = builder.finish({.comment = "Stores what follows from one element of the softmax.",
                                              .lane_value = "value",
                                              .may_take_lanes = true});
    construct(step, load, "load");
    construct(step, store, "store");
    add_row_shape(step, axes, {{&load, "load"}, {&store, "store"}});
    const RowSettingSize size = row_setting_size(setting);
    const std::string kind = node.op == ir::Op::kSoftmax ? "kSoftmax" : "kLogSoftmax";
    const Expr threads = step.int_constant("threads_per_row", size.threads);
    const Expr kept = step.int_constant("elements_per_thread", size.per_thread);
    step.launch("return stitch::launch_softmax<stitch::SoftmaxKind::{}, {}, {}>(load, store, shape, stream);", kind,
                threads, kept);
    return step.take();
  }
};

}  // namespace

std::unique_ptr<KernelTemplate> make_softmax() { return std::make_unique<Softmax>(); }

}  // namespace stitch::kernels
