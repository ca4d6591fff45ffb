// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv/conv2d.h"

#include <fmt/format.h>

#include "kernels/conv/window.h"
#include "kernels/gemm/variants.h"
#include "kernels/lowering/functor_builder.h"
#include "kernels/lowering/launch_text.h"
#include "kernels/lowering/strided_view.h"

namespace stitch::kernels {
namespace {

constexpr const char* kDepthwise = "depthwise";

struct ConvShape {
  int64_t batch, in_channels, height, width, out_channels, out_height, out_width, groups;
  Pair kernel;
};

ConvShape shape_of(const Group& group) {
  const ir::Node& node = group.root_node();
  const std::vector<int64_t>& in = group.graph->type(ir::tensor_operand(node, 0)).shape;
  const std::vector<int64_t>& weight = group.graph->type(ir::tensor_operand(node, 1)).shape;
  const std::vector<int64_t>& out = group.graph->type(node.outputs[0]).shape;
  return {
      in[0], in[1], in[2], in[3], out[1], out[2], out[3], ir::int_attribute(node, "groups"), {weight[2], weight[3]}};
}

bool is_contiguous(const Group& group, ir::ValueId value, const StridedView& view) {
  const std::vector<int64_t>& shape = group.graph->type(value).shape;
  const std::vector<int64_t> strides = contiguous_strides(shape);
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    if (shape[axis] != 1 && view.strides[axis] != strides[axis]) {
      return false;
    }
  }
  return true;
}

class Conv2d final : public KernelTemplate {
 public:
  const char* name() const override { return "conv2d"; }

  bool is_root(const ir::Graph& graph, const ir::Node& node) const override {
    return node.op == "conv2d" && graph.type(node.outputs[0]).dtype == DataType::kFloat32;
  }

  std::vector<ir::ValueId> store_first(const Group& group) const override {
    std::vector<ir::ValueId> missing;
    for (const size_t i : {size_t{0}, size_t{1}}) {
      const ir::ValueId operand = ir::tensor_operand(group.root_node(), i);
      const auto view = strided_view(group, operand);
      if (!view.has_value() || !is_contiguous(group, operand, *view)) {
        missing.push_back(operand);
      }
    }
    return missing;
  }

  std::vector<Setting> space(const Group& group, const DeviceLimits& limits, MathMode math) const override {
    const ConvShape shape = shape_of(group);
    std::vector<Setting> settings;
    if (shape.groups == shape.in_channels) {
      settings.push_back({kDepthwise, 1});
    }
    for (const GemmVariant& variant : conv_variants(math, limits)) {
      settings.push_back({variant.name, 1});
    }
    return settings;
  }

  Work work(const Group& group, const Setting& setting) const override {
    constexpr int kThreads = 256;
    const ConvShape shape = shape_of(group);
    const int64_t pixels = shape.batch * shape.out_height * shape.out_width;
    const int64_t depth = shape.in_channels / shape.groups * shape.kernel[0] * shape.kernel[1];
    Work work;
    work.bytes = least_bytes(group);
    work.lane_operations = pointwise_operations(group);
    if (setting.variant == kDepthwise) {
      work.flops = 2.0 * static_cast<double>(pixels * shape.out_channels) * static_cast<double>(depth);
      work.blocks = pixels * shape.out_channels / kThreads + 1;
      work.blocks_per_multiprocessor = 6;
      work.peak_share = 0.25;
      work.bandwidth_share = 0.8;
      return work;
    }
    const GemmVariant& variant = gemm_variant(setting.variant);
    add_gemm_work(variant, shape.groups, shape.out_channels / shape.groups, pixels, depth, 1, work);
    work.peak_share = variant.convolution_share;
    return work;
  }

  Result<StepCode> emit(const Group& group, const Setting& setting) const override;
};

Result<FunctorText> make_epilogue(StepBuilder& step) {
  const Group& group = step.group();
  const ir::Node& node = group.root_node();
  const ir::ValueId output = node.outputs[0];
  const Domain domain(group.graph->type(output).shape);
  FunctorBuilder builder(step, pascal_case(group.graph->value(group.results[0]).name) + "Epilogue", domain,
                         {{"image", {0}}, {"channel", {1}}, {"out_y", {2}}, {"out_x", {3}}});
  const IndexMap map = domain.anchor_map();
  if (node.operands.size() > 2 && ir::is_tensor(node.operands[2])) {
    STITCH_ASSIGN(const std::string bias, builder.value(ir::tensor_operand(node, 2), {map[1]}));
    builder.bind_expression(output, map, "<$accumulator|accumulator> + " + bias);
  } else {
    builder.bind(output, map, "accumulator", "accumulator");
  }
  STITCH_TRY(builder.store_results());
  return builder.finish({.comment = "Stores what follows from one output pixel of one channel.",
                         .extra_parameters = "float accumulator"});
}

std::string pointer_to(StepBuilder& step, ir::ValueId operand, const std::string& name) {
  const auto view = strided_view(step.group(), operand);
  std::string text = fmt::format("static_cast<const float*>({})", step.tensor(view->stored));
  if (view->offset != 0) {
    text += " + " + step.extent(name + "_offset", view->offset);
  }
  return text;
}

Result<StepCode> Conv2d::emit(const Group& group, const Setting& setting) const {
  const ir::Node& node = group.root_node();
  const ConvShape shape = shape_of(group);
  const bool depthwise = setting.variant == kDepthwise;
  const bool on_tensor_cores = !depthwise && *gemm_variant(setting.variant).math != '\0';
  StepBuilder step(group);
  if (depthwise) {
    step.include("kernels/conv/depthwise.cuh");
    step.describe("Access: one thread per output, neighbouring threads along its row; taps unrolled.");
    step.describe("Bound: memory; every channel has its own few weights.");
  } else {
    step.include(on_tensor_cores ? "kernels/conv/implicit_gemm_mma.cuh" : "kernels/conv/implicit_gemm_ffma.cuh");
    step.describe(
        "Access: an implicit GEMM, output channels by output pixels; windows are gathered into shared memory "
        "tile by tile and never written out.");
    step.describe("Bound: arithmetic, but for few channels, where reading the images is dearer.");
  }
  STITCH_ASSIGN(const FunctorText epilogue, make_epilogue(step));
  construct(step, epilogue, "epilogue");
  step.launch("const stitch::Conv2dShape shape{");
  const auto add_extent = [&](const char* name, int64_t value) {
    step.launch(fmt::format("    .{} = {},", name, step.extent(name, value)));
  };
  add_extent("batch", shape.batch);
  add_extent("in_channels", shape.in_channels);
  add_extent("height", shape.height);
  add_extent("width", shape.width);
  add_extent("out_channels", shape.out_channels);
  add_extent("out_height", shape.out_height);
  add_extent("out_width", shape.out_width);
  add_extent("groups", shape.groups);
  step.launch("};");
  step.launch(fmt::format("const float* input = {};", pointer_to(step, ir::tensor_operand(node, 0), "input")));
  step.launch(fmt::format("const float* weight = {};", pointer_to(step, ir::tensor_operand(node, 1), "weight")));
  step.launch("// Kernel, stride, padding and dilation, each along y and x.");
  step.launch(fmt::format("using Window = {};", window_type("stitch::ConvWindow", shape.kernel, pair_of(node, "stride"),
                                                            pair_of(node, "padding"), pair_of(node, "dilation"))));
  std::string arguments = "Window";
  if (!depthwise) {
    const GemmVariant& variant = gemm_variant(setting.variant);
    arguments = fmt::format("stitch::{}, Window", variant.tile);
    if (on_tensor_cores) {
      arguments = fmt::format("stitch::{}, {}", variant.math, arguments);
    }
  }
  step.launch(fmt::format("return stitch::launch_conv2d_{}<{}>(shape, input, weight, epilogue, stream);",
                          depthwise ? "depthwise" : (on_tensor_cores ? "mma" : "ffma"), arguments));
  return step.take();
}

}  // namespace

std::unique_ptr<KernelTemplate> make_conv2d() { return std::make_unique<Conv2d>(); }

}  // namespace stitch::kernels
