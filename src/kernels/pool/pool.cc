// SPDX-License-Identifier: Apache-2.0
#include "kernels/pool/pool.h"

#include <fmt/format.h>

#include "ir/graph/op.h"
#include "ir/ops.h"
#include "kernels/conv/window.h"
#include "kernels/lowering/launch_text.h"
#include "kernels/pool/planes.h"

namespace stitch::kernels {
namespace {

using ir::Op;

bool is_adaptive(const ir::Node& node) {
  switch (node.op) {
    case Op::kAdaptiveAvgPool2d:
    case Op::kAdaptiveAvgPool3d:
    case Op::kAdaptiveMaxPool2d:
    case Op::kAdaptiveMaxPool3d:
    case Op::kAdaptiveMaxPool2dWithIndices:
    case Op::kAdaptiveMaxPool3dWithIndices:
      return true;
    default:
      return false;
  }
}

bool is_average(ir::Op op) {
  return op == Op::kAvgPool2d || op == Op::kAvgPool3d || op == Op::kAdaptiveAvgPool2d || op == Op::kAdaptiveAvgPool3d;
}

bool is_max(const ir::Node& node) { return !is_average(node.op); }
bool gives_indices(const ir::Node& node) { return node.outputs.size() > 1; }

bool is_pool(const ir::Node& node) {
  const ir::OpDef* def = ir::find_op(node.op);
  return def != nullptr && def->family == ir::OpFamily::kPool;
}

size_t axes_of(const ir::Node& node) {
  return ir::ints_attribute(node, is_adaptive(node) ? "output_size" : "kernel_size").size();
}

WindowNumbers window_of(const ir::Node& node) {
  WindowNumbers window{ir::ints_attribute(node, "kernel_size"),
                       ir::ints_attribute(node, "stride"),
                       ir::ints_attribute(node, "padding"),
                       {}};
  window.dilation = is_max(node) ? ir::ints_attribute(node, "dilation") : std::vector<int64_t>(window.axes(), 1);
  return window;
}

class Pool final : public KernelTemplate {
 public:
  const char* name() const override { return "pool"; }

  bool is_root(const ir::Graph& graph, const ir::Node& node) const override {
    const DataType dtype = graph.type(node.outputs[0]).dtype;
    return is_pool(node) && is_floating_point(dtype) && dtype != DataType::kFloat64;
  }

  std::vector<Setting> space(const Group&, const DeviceLimits&, MathMode) const override {
    return {{"thread_per_output", 1}};
  }

  Work work(const Group& group, const Setting&) const override {
    constexpr int kThreads = 256;
    const ir::Graph& graph = *group.graph;
    Work work;
    work.bytes = min_bytes(group);
    const int64_t outputs = graph.type(group.root_node().outputs[0]).element_count();
    const int64_t inputs = graph.type(ir::tensor_operand(group.root_node(), 0)).element_count();
    int64_t taps = is_adaptive(group.root_node()) ? inputs : outputs;
    if (!is_adaptive(group.root_node())) {
      taps *= window_of(group.root_node()).taps();
    }
    work.lane_operations = pointwise_operations(group) + 2.0 * static_cast<double>(taps);
    work.blocks = outputs / kThreads + 1;
    work.blocks_per_multiprocessor = 8;
    work.bandwidth_share = 0.8;
    return work;
  }

  Result<StepDraft> draft(const Group& group, const Setting&) const override {
    const ir::Node& node = group.root_node();
    const std::vector<int64_t>& in = group.graph->type(ir::tensor_operand(node, 0)).shape;
    const std::vector<int64_t>& out = group.graph->type(node.outputs[0]).shape;
    StepBuilder step(group);
    step.include(is_adaptive(node) ? "kernels/pool/adaptive.cuh" : "kernels/pool/window.cuh");
    step.describe(
        "Access: one thread per output, neighbouring threads along its row; overlapping windows meet in cache.");
    step.describe("Bound: memory, one read of the input and one write of the output.");
    STITCH_ASSIGN(const LoweredFunctor load, make_plane_load(step, axes_of(node)));
    STITCH_ASSIGN(const LoweredFunctor store, make_plane_store(step, axes_of(node)));
    construct(step, load, "load");
    construct(step, store, "store");
    add_pool_shape(step, in, out, axes_of(node));
    step.launch("return stitch::launch_{}(load, store, shape, stream);", skeleton(node));
    return step.take();
  }

 private:
  static std::string skeleton(const ir::Node& node) {
    const char* indices = gives_indices(node) ? ", true" : "";
    if (is_adaptive(node)) {
      return fmt::format("adaptive_{}_pool<{}{}>", is_max(node) ? "max" : "average", axes_of(node), indices);
    }
    const std::string window =
        window_type(axes_of(node) == 3 ? "stitch::Window3d" : "stitch::Window2d", window_of(node));
    if (is_max(node)) {
      return fmt::format("max_pool<{}{}>", window, indices);
    }
    return fmt::format("average_pool<{}, stitch::PoolDivisor::{}, {}>", window,
                       ir::bool_attribute(node, "count_include_pad") ? "kWithPadding" : "kInsideInput",
                       ir::int_attribute(node, "divisor_override"));
  }
};

}  // namespace

std::unique_ptr<KernelTemplate> make_pool() { return std::make_unique<Pool>(); }

}  // namespace stitch::kernels
