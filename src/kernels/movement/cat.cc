// SPDX-License-Identifier: Apache-2.0
#include "kernels/movement/cat.h"

#include <fmt/format.h>

#include <algorithm>

#include "ir/graph/op.h"
#include "kernels/lowering/functor_builder.h"
#include "kernels/lowering/launch_text.h"
#include "kernels/movement/cat_in_place.h"
#include "kernels/pointwise/map_launch.h"

namespace stitch::kernels {
namespace {

class Cat final : public KernelTemplate {
 public:
  const char* name() const override { return "cat"; }

  bool is_root(const ir::Graph&, const ir::Node& node) const override { return node.op == ir::Op::kCat; }

  std::vector<Setting> space(const Group&, const DeviceLimits&, MathMode) const override {
    return {{"map_per_part", 1}};
  }

  Work work(const Group& group, const Setting&) const override {
    constexpr int kThreads = 256;
    Work work;
    work.launches = static_cast<int>(group.root_node().operands.size());
    work.lane_operations = pointwise_operations(group);
    work.bytes = min_bytes(group);
    work.blocks = group.graph->type(group.root_node().outputs[0]).element_count() / kThreads + 1;
    work.blocks_per_multiprocessor = 8;
    work.bandwidth_share = 0.9;
    if (const auto in_place = cat_in_place(group); in_place && is_update_of_state(*group.graph, *in_place)) {
      const auto kept_parts = std::count(in_place->is_kept.begin(), in_place->is_kept.end(), true);
      work.launches = std::max(1, work.launches - static_cast<int>(kept_parts));
      work.bytes -= 2 * static_cast<double>(in_place->kept_bytes);
    }
    return work;
  }

  Result<StepDraft> draft(const Group& group, const Setting&) const override {
    const ir::Node& node = group.root_node();
    StepBuilder step(group);
    step.include("kernels/pointwise/map.cuh");
    step.describe("Access: each part is read once and written to its place in the result.");
    const auto in_place = cat_in_place(group);
    if (in_place) {
      step.describe("Parts that stay where they are need no copy when the result is to lie in the same memory.");
      step.launch("const bool is_in_place = {} == {};", step.tensor(in_place->from), step.tensor(in_place->to));
    }
    step.describe("Bound: memory.");
    int64_t offset = 0;
    for (size_t i = 0; i < node.operands.size(); ++i) {
      STITCH_TRY(add_part(step, i, offset, in_place && in_place->is_kept[i]));
      const std::vector<int64_t>& shape = group.graph->type(ir::tensor_operand(node, i)).shape;
      offset += shape[static_cast<size_t>(ir::int_attribute(node, "dim"))];
    }
    return step.take();
  }

 private:
  static Result<void> add_part(StepBuilder& step, size_t part, int64_t offset, bool is_kept) {
    const Group& group = step.group();
    const ir::Node& node = group.root_node();
    const ir::ValueId operand = ir::tensor_operand(node, part);
    const Domain domain(group.graph->type(operand).shape);
    FunctorBuilder builder(step, fmt::format("{}Part{}", pascal_case(group.graph->value(group.results[0]).name), part),
                           domain, {map_coordinate(domain)});
    STITCH_ASSIGN(Expr element, builder.value(operand, domain.anchor_map()));
    IndexMap place = domain.anchor_map();
    place[static_cast<size_t>(ir::int_attribute(node, "dim"))].offset = offset;
    builder.bind(node.outputs[0], place, std::move(element));
    STITCH_TRY(builder.store_results());
    const LoweredFunctor functor = builder.finish(
        {.comment = "Writes kLanes neighbouring elements of one part.", .takes_index = true, .may_take_lanes = true});
    const std::string suffix = fmt::format("_{}", part);
    construct(step, functor, "part" + suffix);
    STITCH_ASSIGN(Expr launched, map_launch(step, functor, "part" + suffix, suffix));
    if (is_kept) {
      launched = select(named("is_in_place"), named("cudaSuccess"), std::move(launched));
    }
    if (part + 1 == node.operands.size()) {
      step.launch("return {};", launched);
      return {};
    }
    step.launch("const cudaError_t error{} = {};", suffix, launched);
    step.launch("if (error{} != cudaSuccess) {{", suffix);
    step.launch("  return error{};", suffix);
    step.launch("}");
    return {};
  }
};

}  // namespace

std::unique_ptr<KernelTemplate> make_cat() { return std::make_unique<Cat>(); }

}  // namespace stitch::kernels
