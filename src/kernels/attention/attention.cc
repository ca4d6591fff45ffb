// SPDX-License-Identifier: Apache-2.0
#include "kernels/attention/attention.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ir/graph/op.h"
#include "kernels/attention/limits.h"
#include "kernels/attention/variants.h"
#include "kernels/lowering/functor_builder.h"
#include "kernels/lowering/launch_text.h"
#include "kernels/lowering/strided_view.h"

namespace stitch::kernels {
namespace {

constexpr const char* kOperandNames[] = {"query", "key", "value"};

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

int64_t extent_from_end(const std::vector<int64_t>& shape, size_t axis) {
  return axis <= shape.size() ? shape[shape.size() - axis] : 1;
}

int64_t stride_from_end(const StridedView& view, size_t axis) {
  return axis <= view.strides.size() ? view.strides[view.strides.size() - axis] : 0;
}

bool is_attention(const ir::Node& node) {
  return node.op == ir::Op::kScaledDotProductAttention || node.op == ir::Op::kSoftmaxAttention;
}

bool is_causal(const ir::Node& node) {
  return node.op == ir::Op::kScaledDotProductAttention && ir::bool_attribute(node, "is_causal");
}

class Attention final : public KernelTemplate {
 public:
  const char* name() const override { return "attention"; }

  bool is_root(const ir::Graph& graph, const ir::Node& node) const override {
    return is_attention(node) && flash_attention_takes(graph, node);
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

  std::vector<Setting> space(const Group& group, const DeviceLimits& limits, MathMode math) const override {
    return attention_settings(group, limits, math);
  }

  bool allows(const Group& group, const Setting& setting) const override {
    const AttentionVariant* variant = attention_variant(setting.variant);
    const AttentionExtents extents = attention_extents(group);
    return variant != nullptr && variant->width >= std::max(extents.features, extents.value_features) &&
           (variant->group_queries == 0 || operand_type(group) == DataType::kFloat32) && setting.splits >= 1 &&
           setting.splits <= (variant->rows == 0 ? 1 : kMaxKeySplits);
  }

  Work work(const Group& group, const Setting& setting) const override {
    Work work;
    work.bytes = min_bytes(group);
    work.lane_operations = pointwise_operations(group);
    add_attention_work(attention_extents(group), *attention_variant(setting.variant), setting.splits,
                       is_causal(group.root_node()), work);
    return work;
  }

  Result<StepDraft> draft(const Group& group, const Setting& setting) const override;
};

Result<LoweredFunctor> make_store(StepBuilder& step) {
  const Group& group = step.group();
  const ir::ValueId output = group.root_node().outputs[0];
  const Domain domain(group.graph->type(output).shape);
  FunctorBuilder builder(step, pascal_case(group.graph->value(group.results[0]).name) + "Store", domain,
                         coordinates(domain.shape().size(), "query", "dimension"));
  builder.bind(output, domain.anchor_map(), bound("value"));
  STITCH_TRY(builder.store_results());
  return builder.finish(
      {.comment = "Stores what follows from one element of a query's mixture.", .extra_parameters = "float value"});
}

// What is done to scores, for each of them.
class ScoreFunctor {
 public:
  ScoreFunctor(StepBuilder& step, ir::ValueId named_after)
      : graph_(*step.group().graph),
        domain_(scores_shape(step.group())),
        builder_(step, pascal_case(graph_.value(named_after).name) + "Mask", domain_,
                 coordinates(domain_.shape().size(), "query", "key")) {}

  Result<Expr> element(ir::ValueId value) {
    return builder_.value(value, broadcast(domain_.anchor_map(), domain_.shape(), graph_.type(value).shape));
  }
  Result<LoweredFunctor> finish(std::string comment, Expr score) {
    return builder_.finish(
        {.comment = std::move(comment), .extra_parameters = "float score", .returns = std::move(score)});
  }

 private:
  static std::vector<int64_t> scores_shape(const Group& group) {
    std::vector<int64_t> scores = group.graph->type(ir::tensor_operand(group.root_node(), 0)).shape;
    scores.back() = extent_from_end(group.graph->type(ir::tensor_operand(group.root_node(), 1)).shape, 2);
    return scores;
  }

  const ir::Graph& graph_;
  Domain domain_;
  FunctorBuilder builder_;
};

// The score where the mask lets it pass: a bool mask bars, a float mask is added.
Result<LoweredFunctor> make_mask(StepBuilder& step) {
  const ir::ValueId mask = ir::tensor_operand(step.group().root_node(), 3);
  ScoreFunctor functor(step, mask);
  STITCH_ASSIGN(const Expr element, functor.element(mask));
  const bool bars = step.group().graph->type(mask).dtype == DataType::kBool;
  return functor.finish(
      bars ? "Bars the scores where the mask is false." : "Adds the mask to the scores.",
      bars ? select(element, bound("score"), literal_expr(float_literal(-INFINITY))) : sum(bound("score"), element));
}

// The score with the bias, or the number that takes its place.
Result<LoweredFunctor> make_fill(StepBuilder& step) {
  const ir::Node& node = step.group().root_node();
  const bool has_bias = ir::is_tensor(node.operands[3]);
  const bool is_filled = ir::is_tensor(node.operands[4]);
  ScoreFunctor functor(step, ir::tensor_operand(node, is_filled ? 4 : 3));
  Expr score = bound("score");
  if (has_bias) {
    STITCH_ASSIGN(const Expr bias, functor.element(ir::tensor_operand(node, 3)));
    score = sum(score, bias);
  }
  if (is_filled) {
    STITCH_ASSIGN(const Expr filled, functor.element(ir::tensor_operand(node, 4)));
    score = select(filled, literal_expr(float_literal(ir::double_attribute(node, "fill"))), score);
  }
  return functor.finish(is_filled ? (has_bias ? "Adds the bias to the scores, and fills them where the mask is set."
                                              : "Fills the scores where the mask is set.")
                                  : "Adds the bias to the scores.",
                        score);
}

// Adds what the scores go through before their softmax.
Result<void> add_mask(StepBuilder& step) {
  const ir::Node& node = step.group().root_node();
  if (std::none_of(node.operands.begin() + 3, node.operands.end(), ir::is_tensor)) {
    step.launch("const stitch::NoMask mask{};");
    return {};
  }
  STITCH_ASSIGN(const LoweredFunctor mask, node.op == ir::Op::kSoftmaxAttention ? make_fill(step) : make_mask(step));
  construct(step, mask, "mask");
  return {};
}

void add_operand(StepBuilder& step, size_t number) {
  const std::string name = kOperandNames[number];
  const StridedView view = *strided_view(step.group(), ir::tensor_operand(step.group().root_node(), number));
  const DataType dtype = step.group().graph->type(view.stored).dtype;
  Expr data = cast(fmt::format("const {}*", cuda_type_name(dtype)), step.tensor(view.stored));
  if (view.offset != 0) {
    data = sum(std::move(data), step.extent(name + "_offset", view.offset));
  }
  const std::string type = dtype == DataType::kFloat32 ? std::string("AttentionOperand")
                                                       : fmt::format("AttentionOperandOf<{}>", cuda_type_name(dtype));
  step.launch("const stitch::{} {}{{", type, name);
  step.launch("    .data = {},", data);
  const char* fields[] = {"batch_stride", "head_stride", "row_stride"};
  for (size_t i = 0; i < std::size(fields); ++i) {
    const Expr stride = step.extent(name + "_" + fields[i], stride_from_end(view, std::size(fields) + 1 - i));
    step.launch("    .{} = {},", fields[i], stride);
  }
  step.launch("};");
}

const char* header_of(const AttentionVariant& variant) {
  if (variant.rows > 0) {
    return "split_keys";
  }
  if (variant.group_queries > 0) {
    return "flash_wgmma";
  }
  return variant.math != TensorMath::kNone ? "flash_mma" : "flash";
}

void describe(StepBuilder& step, const AttentionVariant& variant) {
  if (variant.rows > 0) {
    step.describe(
        "Access: keys and values are read once, in 16-byte pieces, for all queries and heads that share them;");
    step.describe("blocks that share the keys of a query leave partial mixtures, joined in the order of the keys.");
    step.describe("Bound: memory, the reading of keys and values.");
    return;
  }
  if (variant.group_queries > 0) {
    step.describe("Access: a launch splits keys and values into fp16 parts; a block keeps queries in registers, walks");
    step.describe("over tiles of keys and values that the copy engine brings, and turns scores into weights there.");
    step.describe("Bound: arithmetic.");
    return;
  }
  step.describe(
      "Access: a block keeps a tile of queries and walks over tiles of keys and values; scores stay on chip.");
  step.describe("Bound: arithmetic, but for a few queries, where reading keys and values is dearer.");
}

void add_shape(StepBuilder& step, const AttentionExtents& extents) {
  const ir::Node& node = step.group().root_node();
  const Expr scale = step.constant("score_scale", float_literal(ir::double_attribute(node, "scale")));
  step.launch("const stitch::AttentionShape shape{");
  const auto add_extent = [&](const char* name, int64_t value) {
    step.launch("    .{} = {},", name, step.extent(name, value));
  };
  add_extent("batch", extents.batch);
  add_extent("heads", extents.heads);
  add_extent("key_heads", extents.key_heads);
  add_extent("queries", extents.queries);
  add_extent("keys", extents.keys);
  add_extent("head_dimension", extents.features);
  add_extent("value_head_dimension", extents.value_features);
  step.launch("    .scale = {},", scale);
  if (node.op == ir::Op::kSoftmaxAttention) {
    step.launch("    .barred = {},  // as the softmax of nothing but minus infinity is",
                literal_expr(float_literal(NAN)));
  }
  step.launch("};");
}

void add_launch(StepBuilder& step, const AttentionVariant& variant, int64_t splits) {
  const char* causal = is_causal(step.group().root_node()) ? "true" : "false";
  const Expr width = step.int_constant("head_tile", variant.width, "features of a head, rounded up");
  if (variant.rows > 0) {
    const AttentionExtents extents = attention_extents(step.group());
    step.set_scratch_bytes(attention_scratch_bytes(extents, variant, splits));
    const Expr rows =
        step.int_constant("block_rows", variant.rows, "queries, of all heads that share keys, of a block");
    const Expr parts = step.extent("splits", splits, "blocks that share the keys of a query");
    step.launch("return stitch::launch_split_keys_attention<{}, {}, {}>(", width, rows, causal);
    step.launch("    shape, query, key, value, mask, store, {}, args->scratch, stream);", parts);
    return;
  }
  if (variant.group_queries > 0) {
    step.set_scratch_bytes(attention_scratch_bytes(attention_extents(step.group()), variant, splits));
    const Expr products = step.int_constant("products", variant.products, "of fp16 parts for each of the program's");
    step.launch("return stitch::launch_flash_attention_wgmma<{}, {}, {}>(", products, width, causal);
    step.launch("    shape, query, key, value, mask, store, args->scratch, stream);");
    return;
  }
  const bool on_tensor_cores = variant.math != TensorMath::kNone;
  if (on_tensor_cores) {
    step.launch("return stitch::launch_flash_attention_mma<stitch::{}, {}, {}>(", policy_type(variant.math), width,
                causal);
  } else {
    step.launch("return stitch::launch_flash_attention<{}, {}>(", width, causal);
  }
  step.launch("    shape, query, key, value, mask, store, stream);");
}

Result<StepDraft> Attention::draft(const Group& group, const Setting& setting) const {
  const AttentionVariant& variant = *attention_variant(setting.variant);
  StepBuilder step(group);
  step.include(fmt::format("kernels/attention/{}.cuh", header_of(variant)));
  if (operand_type(group) != DataType::kFloat32) {
    step.include("kernels/common/half.cuh");
  }
  describe(step, variant);
  STITCH_ASSIGN(const LoweredFunctor store, make_store(step));
  construct(step, store, "store");
  STITCH_TRY(add_mask(step));
  add_shape(step, attention_extents(group));
  for (size_t i = 0; i < std::size(kOperandNames); ++i) {
    add_operand(step, i);
  }
  add_launch(step, variant, setting.splits);
  return step.take();
}

}  // namespace

std::unique_ptr<KernelTemplate> make_attention() { return std::make_unique<Attention>(); }

}  // namespace stitch::kernels
