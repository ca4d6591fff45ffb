// SPDX-License-Identifier: Apache-2.0
#include "kernels/attention/attention.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/attention/limits.h"
#include "kernels/expression/literal.h"
#include "kernels/lowering/functor_builder.h"
#include "kernels/lowering/launch_text.h"
#include "kernels/lowering/strided_view.h"

namespace stitch::kernels {
namespace {

constexpr const char* kOperandNames[] = {"query", "key", "value"};

struct Variant {
  const char* name;
  const char* math;  // tensor-core policy, "" for the ordinary pipes
  int64_t width;     // features of a head, rounded up
  Pipe pipe;
  int products;  // multiplications per product of the model
  double peak_share;
};

// The first of a width is portable and keeps infinities; the others come where their cost is lower.
constexpr Variant kVariants[] = {
    {"flash_32", "", 32, Pipe::kFp32, 1, 0.2},
    {"flash_64", "", 64, Pipe::kFp32, 1, 0.25},
    {"flash_128", "", 128, Pipe::kFp32, 1, 0.25},
    {"flash_tf32x3_32", "Tf32x3", 32, Pipe::kTf32, 3, 0.1},
    {"flash_tf32x3_64", "Tf32x3", 64, Pipe::kTf32, 3, 0.13},
    {"flash_tf32x3_128", "Tf32x3", 128, Pipe::kTf32, 3, 0.13},
    {"flash_tf32_32", "Tf32", 32, Pipe::kTf32, 1, 0.06},
    {"flash_tf32_64", "Tf32", 64, Pipe::kTf32, 1, 0.08},
    {"flash_tf32_128", "Tf32", 128, Pipe::kTf32, 1, 0.08},
};

const Variant* find_variant(const std::string& name) {
  const auto* found =
      std::find_if(std::begin(kVariants), std::end(kVariants), [&](const Variant& it) { return name == it.name; });
  return found == std::end(kVariants) ? nullptr : found;
}

// The narrowest compiled head that holds the group's.
int64_t width_of(const Group& group) {
  const ir::Node& node = group.root_node();
  const int64_t features = std::max(group.graph->type(ir::tensor_operand(node, 0)).shape.back(),
                                    group.graph->type(ir::tensor_operand(node, 2)).shape.back());
  return features <= 32 ? 32 : (features <= 64 ? 64 : kLargestHeadDimension);
}

DataType operand_type(const Group& group) { return group.graph->type(ir::tensor_operand(group.root_node(), 0)).dtype; }

// Axes of a tensor of this rank as batch, head, row and column; those it lacks are empty.
std::vector<Coordinate> coordinates(size_t rank, const char* row, const char* column) {
  const auto last = static_cast<int>(rank) - 1;
  std::vector<int> batch;
  std::vector<int> head;
  if (rank >= 4) {
    batch = {0};
  }
  if (rank >= 3) {
    head = {last - 2};
  }
  return {{"batch", batch}, {"head", head}, {row, {last - 1}}, {column, {last}}};
}

int64_t from_end(const std::vector<int64_t>& shape, size_t axis) {
  return axis <= shape.size() ? shape[shape.size() - axis] : 1;
}

int64_t stride_from_end(const StridedView& view, size_t axis) {
  return axis <= view.strides.size() ? view.strides[view.strides.size() - axis] : 0;
}

class Attention final : public KernelTemplate {
 public:
  const char* name() const override { return "attention"; }

  bool is_root(const ir::Graph& graph, const ir::Node& node) const override {
    return node.op == "scaled_dot_product_attention" && flash_attention_takes(graph, node);
  }

  std::vector<ir::ValueId> store_first(const Group& group) const override {
    std::vector<ir::ValueId> missing;
    for (size_t i = 0; i < std::size(kOperandNames); ++i) {
      const ir::ValueId operand = ir::tensor_operand(group.root_node(), i);
      const auto view = strided_view(group, operand);
      const bool is_readable =
          view.has_value() && (view->strides.back() == 1 || group.graph->type(operand).shape.back() == 1);
      if (!is_readable) {
        missing.push_back(operand);
      }
    }
    return missing;
  }

  std::vector<Setting> space(const Group& group, const DeviceLimits&, MathMode math) const override {
    std::vector<Setting> settings;
    // Of 16-bit operands TF32 loses nothing, and splitting them gains nothing.
    const bool in_float = operand_type(group) == DataType::kFloat32;
    for (const Variant& variant : kVariants) {
      const std::string policy = variant.math;
      const bool is_exact = in_float ? policy != "Tf32" : true;
      if (!in_float && policy == "Tf32x3") {
        continue;
      }
      if (variant.width == width_of(group) && (is_exact || math == MathMode::kTf32 || math == MathMode::kReduced)) {
        settings.push_back({variant.name, 1});
      }
    }
    return settings;
  }

  bool allows(const Group& group, const Setting& setting) const override {
    const Variant* variant = find_variant(setting.variant);
    return variant != nullptr && variant->width >= width_of(group) && setting.splits == 1;
  }

  Work work(const Group& group, const Setting& setting) const override {
    const ir::Graph& graph = *group.graph;
    const ir::Node& node = group.root_node();
    const std::vector<int64_t>& query = graph.type(ir::tensor_operand(node, 0)).shape;
    const int64_t keys = from_end(graph.type(ir::tensor_operand(node, 1)).shape, 2);
    const int64_t heads = graph.type(ir::tensor_operand(node, 0)).element_count() / (query.back() * from_end(query, 2));
    const double pairs = static_cast<double>(heads * from_end(query, 2)) * static_cast<double>(keys) *
                         (ir::bool_attribute(node, "is_causal") ? 0.5 : 1.0);
    const int64_t features = query.back() + graph.type(node.outputs[0]).shape.back();
    constexpr int kQueriesPerBlock = 64;
    Work work;
    work.bytes = least_bytes(group);
    const Variant& variant = *find_variant(setting.variant);
    work.pipe = variant.pipe;
    work.flops = 2.0 * variant.products * pairs * static_cast<double>(features);
    work.lane_operations = pointwise_operations(group) + 12.0 * pairs;
    work.blocks = heads * ((from_end(query, 2) + kQueriesPerBlock - 1) / kQueriesPerBlock);
    work.blocks_per_multiprocessor = 2;
    work.peak_share = variant.peak_share;
    return work;
  }

  Result<StepCode> emit(const Group& group, const Setting& setting) const override;
};

Result<FunctorText> make_store(StepBuilder& step) {
  const Group& group = step.group();
  const ir::ValueId output = group.root_node().outputs[0];
  const Domain domain(group.graph->type(output).shape);
  FunctorBuilder builder(step, pascal_case(group.graph->value(group.results[0]).name) + "Store", domain,
                         coordinates(domain.shape().size(), "query", "dimension"));
  builder.bind(output, domain.anchor_map(), "value", "value");
  STITCH_TRY(builder.store_results());
  return builder.finish(
      {.comment = "Stores what follows from one element of a query's mixture.", .extra_parameters = "float value"});
}

// The score where the mask lets it pass: a bool mask bars, a float mask is added.
Result<FunctorText> make_mask(StepBuilder& step) {
  const Group& group = step.group();
  const ir::Graph& graph = *group.graph;
  const ir::Node& node = group.root_node();
  const ir::ValueId mask = ir::tensor_operand(node, 3);
  std::vector<int64_t> scores = graph.type(ir::tensor_operand(node, 0)).shape;
  scores.back() = from_end(graph.type(ir::tensor_operand(node, 1)).shape, 2);
  const Domain domain(scores);
  FunctorBuilder builder(step, pascal_case(graph.value(mask).name) + "Mask", domain,
                         coordinates(scores.size(), "query", "key"));
  STITCH_ASSIGN(const std::string text,
                builder.value(mask, broadcast(domain.anchor_map(), scores, graph.type(mask).shape)));
  const bool bars = graph.type(mask).dtype == DataType::kBool;
  return builder.finish({.comment = bars ? "Bars the scores where the mask is false." : "Adds the mask to the scores.",
                         .extra_parameters = "float score",
                         .returns = bars ? text + " ? score : -INFINITY" : "score + " + text});
}

void add_operand(StepBuilder& step, size_t number) {
  const std::string name = kOperandNames[number];
  const StridedView view = *strided_view(step.group(), ir::tensor_operand(step.group().root_node(), number));
  const DataType dtype = step.group().graph->type(view.stored).dtype;
  std::string data = fmt::format("static_cast<const {}*>({})", cuda_type_name(dtype), step.tensor(view.stored));
  if (view.offset != 0) {
    data += " + " + step.extent(name + "_offset", view.offset);
  }
  const std::string type = dtype == DataType::kFloat32 ? std::string("AttentionOperand")
                                                       : fmt::format("AttentionOperandOf<{}>", cuda_type_name(dtype));
  step.launch(fmt::format("const stitch::{} {}{{", type, name));
  step.launch(fmt::format("    .data = {},", data));
  const char* fields[] = {"batch_stride", "head_stride", "row_stride"};
  for (size_t i = 0; i < std::size(fields); ++i) {
    const std::string stride = step.extent(name + "_" + fields[i], stride_from_end(view, std::size(fields) + 1 - i));
    step.launch(fmt::format("    .{} = {},", fields[i], stride));
  }
  step.launch("};");
}

Result<StepCode> Attention::emit(const Group& group, const Setting& setting) const {
  const ir::Graph& graph = *group.graph;
  const ir::Node& node = group.root_node();
  const std::vector<int64_t>& query = graph.type(ir::tensor_operand(node, 0)).shape;
  const std::vector<int64_t>& key = graph.type(ir::tensor_operand(node, 1)).shape;
  const bool has_mask = ir::is_tensor(node.operands[3]);
  StepBuilder step(group);
  const Variant& variant = *find_variant(setting.variant);
  const bool on_tensor_cores = *variant.math != '\0';
  step.include(on_tensor_cores ? "kernels/attention/flash_mma.cuh" : "kernels/attention/flash.cuh");
  if (operand_type(group) != DataType::kFloat32) {
    step.include("kernels/common/half.cuh");
  }
  step.describe(
      "Access: a block keeps a tile of queries and walks over tiles of keys and values; scores stay on chip.");
  step.describe("Bound: arithmetic, but for a few queries, where reading keys and values is dearer.");
  STITCH_ASSIGN(const FunctorText store, make_store(step));
  construct(step, store, "store");
  if (has_mask) {
    STITCH_ASSIGN(const FunctorText mask, make_mask(step));
    construct(step, mask, "mask");
  } else {
    step.launch("const stitch::NoMask mask{};");
  }
  const std::string scale = step.constant("float", "score_scale", float_literal(ir::double_attribute(node, "scale")));
  step.launch("const stitch::AttentionShape shape{");
  const auto add_extent = [&](const char* name, int64_t value) {
    step.launch(fmt::format("    .{} = {},", name, step.extent(name, value)));
  };
  add_extent("batch", from_end(query, 4));
  add_extent("heads", from_end(query, 3));
  add_extent("key_heads", from_end(key, 3));
  add_extent("queries", from_end(query, 2));
  add_extent("keys", from_end(key, 2));
  add_extent("head_dimension", query.back());
  add_extent("value_head_dimension", graph.type(node.outputs[0]).shape.back());
  step.launch(fmt::format("    .scale = {},", scale));
  step.launch("};");
  for (size_t i = 0; i < std::size(kOperandNames); ++i) {
    add_operand(step, i);
  }
  const std::string width =
      step.constant("int", "head_tile", std::to_string(variant.width), "features of a head, rounded up");
  step.launch(fmt::format("return stitch::launch_flash_attention{}<{}{}, {}>(", on_tensor_cores ? "_mma" : "",
                          on_tensor_cores ? fmt::format("stitch::{}, ", variant.math) : "", width,
                          ir::bool_attribute(node, "is_causal") ? "true" : "false"));
  step.launch("    shape, query, key, value, mask, store, stream);");
  return step.take();
}

}  // namespace

std::unique_ptr<KernelTemplate> make_attention() { return std::make_unique<Attention>(); }

}  // namespace stitch::kernels
