// SPDX-License-Identifier: Apache-2.0
#include "kernels/resample/interpolate.h"

#include <fmt/format.h>

#include <cmath>

#include "ir/graph/op.h"
#include "kernels/conv/window.h"
#include "kernels/lowering/launch_text.h"
#include "kernels/pool/planes.h"

namespace stitch::kernels {
namespace {

size_t axes_of(const ir::Node& node) { return ir::ints_attribute(node, "output_size").size(); }

double taps_of(const ir::Node& node) {
  const std::string& mode = ir::string_attribute(node, "mode");
  return std::pow(mode == "linear" ? 2.0 : (mode == "cubic" ? 4.0 : 1.0), static_cast<double>(axes_of(node)));
}

// "stitch::LinearMode<true>"
std::string mode_type(const ir::Node& node) {
  const std::string& mode = ir::string_attribute(node, "mode");
  if (mode == "nearest") {
    return "stitch::NearestMode";
  }
  if (mode == "nearest_exact") {
    return "stitch::NearestExactMode";
  }
  return fmt::format("stitch::{}Mode<{}>", mode == "linear" ? "Linear" : "Cubic",
                     ir::bool_attribute(node, "align_corners"));
}

// The factors that were asked for, as the skeleton takes them; "{}" where the ratios of the extents count.
std::string factors_text(const ir::Node& node, StepBuilder& step) {
  const std::vector<double>& scales = ir::doubles_attribute(node, "scales");
  const std::vector<std::string> names = axis_names(scales.size());
  std::string text;
  for (size_t axis = 0; axis < scales.size(); ++axis) {
    if (scales[axis] > 0) {
      const Expr factor = step.constant("factor_" + names[axis], {scales[axis], ScalarType::kDouble});
      text += fmt::format("{}.{} = {}", text.empty() ? "" : ", ", names[axis], factor.name);
    }
  }
  return "{" + text + "}";
}

class Interpolate final : public KernelTemplate {
 public:
  const char* name() const override { return "interpolate"; }

  bool is_root(const ir::Graph& graph, const ir::Node& node) const override {
    const DataType dtype = graph.type(node.outputs[0]).dtype;
    return node.op == ir::Op::kInterpolate && is_floating_point(dtype) && dtype != DataType::kFloat64;
  }

  std::vector<Setting> space(const Group&, const DeviceLimits&, MathMode) const override {
    return {{"thread_per_output", 1}};
  }

  Work work(const Group& group, const Setting&) const override {
    constexpr int kThreads = 256;
    const ir::Node& node = group.root_node();
    Work work;
    work.bytes = min_bytes(group);
    const int64_t outputs = group.graph->type(node.outputs[0]).element_count();
    work.lane_operations = pointwise_operations(group) + 2.0 * static_cast<double>(outputs) * taps_of(node);
    work.blocks = outputs / kThreads + 1;
    work.blocks_per_multiprocessor = 8;
    work.bandwidth_share = 0.8;
    return work;
  }

  Result<StepDraft> draft(const Group& group, const Setting&) const override {
    const ir::Node& node = group.root_node();
    StepBuilder step(group);
    step.include("kernels/resample/interpolate.cuh");
    step.describe(
        "Access: one thread per output, neighbouring threads along its row; inputs read by several meet in cache.");
    step.describe("Bound: memory, one read of the input and one write of the output.");
    STITCH_ASSIGN(const LoweredFunctor load, make_plane_load(step, axes_of(node)));
    STITCH_ASSIGN(const LoweredFunctor store, make_plane_store(step, axes_of(node)));
    construct(step, load, "load");
    construct(step, store, "store");
    add_pool_shape(step, group.graph->type(ir::tensor_operand(node, 0)).shape, group.graph->type(node.outputs[0]).shape,
                   axes_of(node));
    step.launch("return stitch::launch_interpolate<{}, {}>(load, store, shape, {}, stream);", axes_of(node),
                mode_type(node), factors_text(node, step));
    return step.take();
  }
};

}  // namespace

std::unique_ptr<KernelTemplate> make_interpolate() { return std::make_unique<Interpolate>(); }

}  // namespace stitch::kernels
