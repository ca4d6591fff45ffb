// SPDX-License-Identifier: Apache-2.0
#include "kernels/loss/nll_loss.h"

#include <algorithm>
#include <optional>

#include "ir/graph/op.h"
#include "kernels/lowering/functor_builder.h"
#include "kernels/lowering/launch_text.h"
#include "kernels/lowering/strided_view.h"
#include "kernels/pointwise/map_launch.h"

namespace stitch::kernels {
namespace {

// What the probabilities of a sample all lose: x - shift, with one shift a sample, is looked up in x.
struct Shifted {
  ir::ValueId table;
  ir::ValueId shift;  // of extent one along the classes
};

size_t class_axis_of(const Group& group) {
  return group.graph->type(ir::tensor_operand(group.root_node(), 0)).shape.size() == 1 ? 0 : 1;
}

std::optional<Shifted> shifted(const Group& group) {
  const ir::Graph& graph = *group.graph;
  const ir::ValueId probabilities = ir::tensor_operand(group.root_node(), 0);
  if (!group.computes(probabilities)) {
    return std::nullopt;
  }
  const ir::Node& node = graph.node(graph.value(probabilities).producer);
  if (node.op != ir::Op::kSub || !ir::is_tensor(node.operands[0]) || !ir::is_tensor(node.operands[1])) {
    return std::nullopt;
  }
  const Shifted found{ir::tensor_operand(node, 0), ir::tensor_operand(node, 1)};
  std::vector<int64_t> shape = graph.type(probabilities).shape;
  const bool is_whole = graph.type(found.table).shape == shape;
  shape[class_axis_of(group)] = 1;
  return is_whole && graph.type(found.shift).shape == shape ? std::optional(found) : std::nullopt;
}

struct Picked {
  Expr loss;  // weighted, 0 for an ignored target
  Expr weight;
};

// The loss of the sample that the target stands at.
Result<Picked> picked_loss(FunctorBuilder& builder, StepBuilder& step, const IndexMap& target_map) {
  const Group& group = step.group();
  const ir::Node& node = group.root_node();
  const std::string name = group.graph->value(node.outputs[0]).name;
  const std::optional<Shifted> shift = shifted(group);
  const ir::ValueId probabilities = shift ? shift->table : ir::tensor_operand(node, 0);
  const size_t class_axis = class_axis_of(group);
  STITCH_ASSIGN(const Expr target, builder.value(ir::tensor_operand(node, 1), target_map));
  const Expr ignored = step.constant("ignored_target", int_literal(ir::int_attribute(node, "ignore_index")));
  const Expr counts = builder.local("bool", name + "_counts", binary(BinaryOp::kNotEqual, target, ignored));
  // An ignored target may be no class at all: look at class 0 instead, and drop what is found there.
  const Expr chosen = builder.local("int64_t", name + "_class", select(counts, target, literal_expr(int_literal(0))));
  IndexMap map = target_map;
  map.insert(map.begin() + static_cast<std::ptrdiff_t>(class_axis), AffineIndex{});
  STITCH_ASSIGN(Expr picked, builder.look_up(probabilities, map, class_axis, chosen));
  if (shift) {
    STITCH_ASSIGN(Expr lost, builder.value(shift->shift, map));
    picked = builder.local("float", name + "_picked", binary(BinaryOp::kSubtract, std::move(picked), std::move(lost)));
  }
  Expr weight = literal_expr(float_literal(1.0));
  if (ir::is_tensor(node.operands[2])) {
    STITCH_ASSIGN(weight, builder.look_up(ir::tensor_operand(node, 2), {AffineIndex{}}, 0, chosen));
  }
  const Expr zero = literal_expr(float_literal(0.0));
  const Expr counted = builder.local("float", name + "_weight", select(counts, weight, zero));
  const Expr weighted = product(unary(UnaryOp::kNegate, picked), counted);
  return Picked{builder.local("float", name + "_loss", select(counts, weighted, zero)), counted};
}

std::vector<int> all_axes(size_t rank) {
  std::vector<int> axes;
  for (size_t axis = 0; axis < rank; ++axis) {
    axes.push_back(static_cast<int>(axis));
  }
  return axes;
}

class NllLoss final : public KernelTemplate {
 public:
  const char* name() const override { return "nll_loss"; }

  bool is_root(const ir::Graph& graph, const ir::Node& node) const override {
    return node.op == ir::Op::kNllLoss && graph.type(node.outputs[0]).dtype != DataType::kFloat64;
  }

  std::vector<ir::ValueId> store_first(const Group& group) const override {
    std::vector<ir::ValueId> missing;
    for (const size_t i : {size_t{0}, size_t{2}}) {
      const ir::Operand& operand = group.root_node().operands[i];
      if (!ir::is_tensor(operand)) {
        continue;
      }
      const std::optional<Shifted> shift = i == 0 ? shifted(group) : std::nullopt;
      const ir::ValueId table = shift ? shift->table : std::get<ir::ValueId>(operand);
      if (!strided_view(group, table).has_value()) {
        missing.push_back(table);
      }
    }
    return missing;
  }

  std::vector<Setting> space(const Group& group, const DeviceLimits&, MathMode) const override {
    if (is_per_sample(group)) {
      return {{"per_sample", 1}};
    }
    constexpr int64_t kMinPart = 1024;  // samples
    std::vector<Setting> settings = {{"blocks_of_256", 1}};
    for (const int64_t splits : {8, 32, 128}) {
      if (samples_of(group) / splits >= kMinPart) {
        settings.push_back({"blocks_of_256", splits});
      }
    }
    return settings;
  }

  bool allows(const Group& group, const Setting& setting) const override {
    constexpr int64_t kMaxSplits = 128;
    return KernelTemplate::allows(group, {setting.variant, 1}) && setting.splits >= 1 && setting.splits <= kMaxSplits;
  }

  Work work(const Group& group, const Setting& setting) const override {
    constexpr double kBytesPerSample = 8 + 32;  // the target, and a whole sector for one probability
    Work work;
    work.launches = is_per_sample(group) ? 1 : 2;
    work.bytes = kBytesPerSample * static_cast<double>(samples_of(group));
    work.lane_operations = pointwise_operations(group);
    work.blocks = setting.splits;
    work.blocks_per_multiprocessor = 8;
    return work;
  }

  Result<StepDraft> draft(const Group& group, const Setting& setting) const override {
    return is_per_sample(group) ? draft_per_sample(group) : draft_reduced(group, setting);
  }

 private:
  static bool is_per_sample(const Group& group) {
    return ir::string_attribute(group.root_node(), "reduction") == "none";
  }
  static int64_t samples_of(const Group& group) {
    return group.graph->type(ir::tensor_operand(group.root_node(), 1)).element_count();
  }

  static Result<StepDraft> draft_per_sample(const Group& group) {
    const ir::ValueId output = group.root_node().outputs[0];
    StepBuilder step(group);
    step.include("kernels/pointwise/map.cuh");
    step.describe("Access: neighbouring threads take neighbouring samples; each picks one probability.");
    step.describe("Bound: memory latency of the picked probabilities.");
    const Domain domain(group.graph->type(output).shape);
    FunctorBuilder builder(step, pascal_case(group.graph->value(group.results[0]).name) + "Map", domain,
                           {map_coordinate(domain)});
    STITCH_ASSIGN(const Picked picked, picked_loss(builder, step, domain.anchor_map()));
    builder.bind(output, domain.anchor_map(), picked.loss);
    STITCH_TRY(builder.store_results());
    const LoweredFunctor functor =
        builder.finish({.comment = "Computes and stores the loss of one sample.", .takes_index = true});
    construct(step, functor, "map");
    STITCH_ASSIGN(const Expr launched, map_launch(step, functor, "map", ""));
    step.launch("return {};", launched);
    return step.take();
  }

  static Result<LoweredFunctor> make_load(StepBuilder& step) {
    const Group& group = step.group();
    const ir::ValueId target = ir::tensor_operand(group.root_node(), 1);
    const Domain domain(group.graph->type(target).shape);
    FunctorBuilder builder(step, pascal_case(group.graph->value(group.root_node().outputs[0]).name) + "Load", domain,
                           {{"sample", all_axes(domain.shape().size())}});
    STITCH_ASSIGN(const Picked picked, picked_loss(builder, step, domain.anchor_map()));
    return builder.finish({.comment = "The loss of one sample and its weight, both zero for an ignored target.",
                           .returns = aggregate("stitch::WeightedLoss", {picked.loss, picked.weight}),
                           .return_type = "stitch::WeightedLoss"});
  }

  static Result<LoweredFunctor> make_store(StepBuilder& step) {
    const Group& group = step.group();
    const ir::Node& node = group.root_node();
    const Domain domain(group.graph->type(node.outputs[0]).shape);
    FunctorBuilder builder(step, pascal_case(group.graph->value(group.results[0]).name) + "Store", domain, {});
    const bool is_mean = ir::string_attribute(node, "reduction") == "mean";
    const Expr loss = bound("total.loss");
    builder.bind_computation(node.outputs[0], domain.anchor_map(),
                             is_mean ? binary(BinaryOp::kDivide, loss, bound("total.weight")) : loss);
    STITCH_TRY(builder.store_results());
    return builder.finish({.comment = "Stores what follows from the loss of all samples.",
                           .extra_parameters = "const stitch::WeightedLoss& total"});
  }

  static Result<StepDraft> draft_reduced(const Group& group, const Setting& setting) {
    StepBuilder step(group);
    step.include("kernels/loss/weighted_sum.cuh");
    step.describe("Access: neighbouring threads take neighbouring samples; each picks one probability.");
    step.describe("Bound: memory latency of the picked probabilities.");
    STITCH_ASSIGN(const LoweredFunctor load, make_load(step));
    STITCH_ASSIGN(const LoweredFunctor store, make_store(step));
    construct(step, load, "load");
    construct(step, store, "store");
    constexpr int64_t kPartialBytes = 8;
    step.set_scratch_bytes(setting.splits * kPartialBytes);
    const Expr threads = step.int_constant("threads", 256);
    const Expr samples = step.extent("samples", samples_of(group));
    const Expr splits = step.extent("splits", setting.splits, "blocks that share the samples");
    step.launch("return stitch::launch_weighted_sum<{}>(load, store, {}, {}, args->scratch, stream);", threads, samples,
                splits);
    return step.take();
  }
};

}  // namespace

std::unique_ptr<KernelTemplate> make_nll_loss() { return std::make_unique<NllLoss>(); }

}  // namespace stitch::kernels
