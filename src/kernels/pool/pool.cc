// SPDX-License-Identifier: Apache-2.0
#include "kernels/pool/pool.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kernels/conv/window.h"
#include "kernels/lowering/functor_builder.h"
#include "kernels/lowering/launch_text.h"

namespace stitch::kernels {
namespace {

// All axes but the last two are planes.
std::vector<Coordinate> plane_coordinates(size_t rank, const char* y, const char* x) {
  std::vector<int> planes;
  for (size_t axis = 0; axis + 2 < rank; ++axis) {
    planes.push_back(static_cast<int>(axis));
  }
  return {{"plane", planes}, {y, {static_cast<int>(rank) - 2}}, {x, {static_cast<int>(rank) - 1}}};
}

bool is_adaptive(const ir::Node& node) { return node.op == "adaptive_avg_pool2d"; }

Result<FunctorText> make_load(StepBuilder& step) {
  const ir::Graph& graph = *step.group().graph;
  const ir::ValueId input = ir::tensor_operand(step.group().root_node(), 0);
  const Domain domain(graph.type(input).shape);
  FunctorBuilder builder(step, pascal_case(graph.value(input).name) + "Load", domain,
                         plane_coordinates(domain.shape().size(), "y", "x"));
  STITCH_ASSIGN(const std::string text, builder.value(input, domain.anchor_map()));
  return builder.finish({.comment = "Reads one element of the pooled tensor.", .returns = text});
}

Result<FunctorText> make_store(StepBuilder& step) {
  const Group& group = step.group();
  const ir::ValueId output = group.root_node().outputs[0];
  const Domain domain(group.graph->type(output).shape);
  FunctorBuilder builder(step, pascal_case(group.graph->value(group.results[0]).name) + "Store", domain,
                         plane_coordinates(domain.shape().size(), "out_y", "out_x"));
  builder.bind(output, domain.anchor_map(), "value", "value");
  STITCH_TRY(builder.store_results());
  return builder.finish({.comment = "Stores what follows from one window.", .extra_parameters = "float value"});
}

class Pool final : public KernelTemplate {
 public:
  const char* name() const override { return "pool"; }

  bool is_root(const ir::Graph& graph, const ir::Node& node) const override {
    const bool pools = node.op == "max_pool2d" || node.op == "avg_pool2d" || is_adaptive(node);
    const DataType dtype = graph.type(node.outputs[0]).dtype;
    return pools && is_floating_point(dtype) && dtype != DataType::kFloat64;
  }

  std::vector<Setting> space(const Group&, const DeviceLimits&, MathMode) const override {
    return {{"thread_per_output", 1}};
  }

  Work work(const Group& group, const Setting&) const override {
    constexpr int kThreads = 256;
    const ir::Graph& graph = *group.graph;
    Work work;
    work.bytes = least_bytes(group);
    const int64_t outputs = graph.type(group.root_node().outputs[0]).element_count();
    const int64_t inputs = graph.type(ir::tensor_operand(group.root_node(), 0)).element_count();
    int64_t taps = is_adaptive(group.root_node()) ? inputs : outputs;
    if (!is_adaptive(group.root_node())) {
      const auto kernel = pair_of(group.root_node(), "kernel_size");
      taps *= kernel[0] * kernel[1];
    }
    work.lane_operations = pointwise_operations(group) + 2.0 * static_cast<double>(taps);
    work.blocks = outputs / kThreads + 1;
    work.blocks_per_multiprocessor = 8;
    work.bandwidth_share = 0.8;
    return work;
  }

  Result<StepCode> emit(const Group& group, const Setting&) const override {
    const ir::Node& node = group.root_node();
    const std::vector<int64_t>& in = group.graph->type(ir::tensor_operand(node, 0)).shape;
    const std::vector<int64_t>& out = group.graph->type(node.outputs[0]).shape;
    StepBuilder step(group);
    step.include("kernels/pool/window_2d.cuh");
    step.describe(
        "Access: one thread per output, neighbouring threads along its row; overlapping windows meet in cache.");
    step.describe("Bound: memory, one read of the input and one write of the output.");
    STITCH_ASSIGN(const FunctorText load, make_load(step));
    STITCH_ASSIGN(const FunctorText store, make_store(step));
    construct(step, load, "load");
    construct(step, store, "store");
    int64_t planes = 1;
    for (size_t axis = 0; axis + 2 < in.size(); ++axis) {
      planes *= in[axis];
    }
    step.launch("const stitch::Pool2dShape shape{");
    const auto add_extent = [&](const char* name, int64_t value) {
      step.launch(fmt::format("    .{} = {},", name, step.extent(name, value)));
    };
    add_extent("planes", planes);
    add_extent("height", in[in.size() - 2]);
    add_extent("width", in.back());
    add_extent("out_height", out[out.size() - 2]);
    add_extent("out_width", out.back());
    step.launch("};");
    step.launch(fmt::format("return stitch::launch_{}(load, store, shape, stream);", skeleton(node)));
    return step.take();
  }

 private:
  static std::string skeleton(const ir::Node& node) {
    if (is_adaptive(node)) {
      return "adaptive_average_pool";
    }
    const bool is_max = node.op == "max_pool2d";
    const std::string window =
        window_type("stitch::Window2d", pair_of(node, "kernel_size"), pair_of(node, "stride"), pair_of(node, "padding"),
                    is_max ? pair_of(node, "dilation") : std::array<int64_t, 2>{1, 1});
    if (is_max) {
      return fmt::format("max_pool<{}>", window);
    }
    return fmt::format("average_pool<{}, stitch::PoolDivisor::{}, {}>", window,
                       ir::bool_attribute(node, "count_include_pad") ? "kWithPadding" : "kInsideInput",
                       ir::int_attribute(node, "divisor_override"));
  }
};

}  // namespace

std::unique_ptr<KernelTemplate> make_pool() { return std::make_unique<Pool>(); }

}  // namespace stitch::kernels
