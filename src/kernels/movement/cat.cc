// SPDX-License-Identifier: Apache-2.0
#include "kernels/movement/cat.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "ir/graph/op.h"
#include "kernels/lowering/functor_builder.h"
#include "kernels/lowering/launch_text.h"
#include "kernels/movement/cat_in_place.h"
#include "kernels/pointwise/map_launch.h"

namespace stitch::kernels {
namespace {

constexpr const char* kTogether = "maps_together";
constexpr const char* kPerPart = "map_per_part";
constexpr const char* kInPlace = "parts_in_place";
constexpr size_t kMaxTogether = 8;  // parts of one launch: each has its place in the arguments

// From one place along `axis` to the next.
int64_t inner_elements(const std::vector<int64_t>& shape, size_t axis) {
  return std::accumulate(shape.begin() + static_cast<int64_t>(axis) + 1, shape.end(), int64_t{1},
                         std::multiplies<int64_t>());
}

class Cat final : public KernelTemplate {
 public:
  const char* name() const override { return "cat"; }

  bool is_root(const ir::Graph&, const ir::Node& node) const override { return node.op == ir::Op::kCat; }

  std::vector<Setting> space(const Group& group, const DeviceLimits&, MathMode) const override {
    // A part that may already be in its place is a launch that may be left out.
    if (cat_in_place(group).has_value()) {
      return {{kPerPart, 1}};
    }
    std::vector<Setting> settings = {{kTogether, 1}, {kPerPart, 1}};
    if (!group.in_whole.empty()) {
      settings.insert(settings.begin(), {kInPlace, 1});
    }
    return settings;
  }

  bool is_timed_alone(const Setting& setting) const override { return setting.variant != kInPlace; }

  Work work(const Group& group, const Setting& setting) const override {
    constexpr int kThreads = 256;
    const size_t parts = group.root_node().operands.size();
    Work work;
    work.launches = static_cast<int>(
        setting.variant == kPerPart ? parts : (copied_parts(group, setting) + kMaxTogether - 1) / kMaxTogether);
    work.lane_operations = pointwise_operations(group);
    work.bytes = min_bytes(group);
    if (setting.variant == kInPlace) {
      for (const ir::Operand& part : group.root_node().operands) {
        const InWhole* place = group.place_of(std::get<ir::ValueId>(part));
        if (place != nullptr && place->whole.has_value()) {
          work.bytes -= 2 * static_cast<double>(group.graph->type(place->part).bytes());
        } else if (place != nullptr) {
          ++work.launches;
        }
      }
    }
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

  Result<StepDraft> draft(const Group& group, const Setting& setting) const override {
    StepBuilder step(group);
    const bool has_maps = setting.variant == kTogether || copied_parts(group, setting) > 0;
    step.include(setting.variant != kPerPart && has_maps ? "kernels/pointwise/maps.cuh" : "kernels/pointwise/map.cuh");
    step.describe("Access: each part is read once and written to its place in the result.");
    STITCH_TRY(setting.variant == kPerPart ? add_each(step) : add_together(step, setting.variant == kInPlace));
    return step.take();
  }

 private:
  static Result<void> add_each(StepBuilder& step) {
    const size_t parts = step.group().root_node().operands.size();
    const auto in_place = cat_in_place(step.group());
    if (in_place) {
      step.describe("Parts that stay where they are need no copy when the result is to lie in the same memory.");
      step.launch("const bool is_in_place = {} == {};", step.tensor(in_place->from), step.tensor(in_place->to));
    }
    step.describe("Bound: memory.");
    int64_t offset = 0;
    for (size_t i = 0; i < parts; ++i) {
      STITCH_ASSIGN(const LoweredFunctor functor, add_part(step, i, offset));
      STITCH_ASSIGN(Expr launched, map_launch(step, functor, fmt::format("part_{}", i), fmt::format("_{}", i)));
      if (in_place && in_place->is_kept[i]) {
        launched = select(named("is_in_place"), named("cudaSuccess"), std::move(launched));
      }
      add_launch(step, std::move(launched), i, i + 1 == parts);
    }
    return {};
  }

  // Those that may be in their places have launches of their own, which are left out where they are.
  static Result<void> add_together(StepBuilder& step, bool may_be_there) {
    const Group& group = step.group();
    step.describe(may_be_there ? "Parts that were written to their places by the steps that make them need no copy."
                               : "All parts are written by one launch, each by blocks of its own.");
    step.describe("Bound: memory.");
    const size_t parts = group.root_node().operands.size();
    int64_t offset = 0;
    std::vector<Expr> arguments = {named("stream")};
    for (size_t i = 0; i < parts; ++i) {
      const bool is_last = i + 1 == parts;
      const int64_t start = offset;
      STITCH_ASSIGN(const LoweredFunctor functor, add_part(step, i, offset));
      const std::string variable = fmt::format("part_{}", i);
      const std::string suffix = fmt::format("_{}", i);
      if (may_be_there && may_be_placed(group, i)) {
        STITCH_ASSIGN(Expr launched, map_launch(step, functor, variable, suffix));
        launched = select(is_there(step, i, start), named("cudaSuccess"), std::move(launched));
        add_launch(step, std::move(launched), i, is_last && arguments.size() == 1);
        continue;
      }
      STITCH_ASSIGN(const Expr made, map_part(step, functor, variable, suffix));
      step.launch("const auto map_{} = {};", i, made);
      arguments.push_back(named(fmt::format("map_{}", i)));
      if (arguments.size() > kMaxTogether && !is_last) {
        add_launch(step, call("stitch::launch_maps", arguments), i, false);
        arguments.resize(1);
      }
    }
    if (arguments.size() > 1) {
      add_launch(step, call("stitch::launch_maps", arguments), parts - 1, true);
    }
    return {};
  }

  // How many parts the step's maps are launched for.
  static size_t copied_parts(const Group& group, const Setting& setting) {
    size_t count = 0;
    for (size_t part = 0; part < group.root_node().operands.size(); ++part) {
      const bool is_left_out = setting.variant == kInPlace && may_be_placed(group, part);
      count += is_left_out ? 0 : 1;
    }
    return count;
  }

  static bool may_be_placed(const Group& group, size_t part) {
    const ir::ValueId value = ir::tensor_operand(group.root_node(), part);
    return group.place_of(value) != nullptr && group.reads(value);
  }

  // Whether the part, `start` places behind the first, has been written there. Where the step runs alone it has not.
  static Expr is_there(StepBuilder& step, size_t part, int64_t start) {
    const ir::Node& node = step.group().root_node();
    const ir::ValueId value = ir::tensor_operand(node, part);
    const TensorType& type = step.group().graph->type(value);
    const auto axis = static_cast<size_t>(ir::int_attribute(node, "dim"));
    const std::string pointer = fmt::format("const {}*", cuda_type_name(type.dtype));
    Expr place = cast(pointer, step.elements(node.outputs[0]));
    place = sum(std::move(place), step.extent(fmt::format("place_{}", part), start * inner_elements(type.shape, axis)));
    step.launch("const bool is_in_place_{} = {} == {};", part, cast(pointer, step.elements(value)), place);
    return named(fmt::format("is_in_place_{}", part));
  }

  static void add_launch(StepBuilder& step, Expr launched, size_t part, bool is_last) {
    if (is_last) {
      step.launch("return {};", launched);
      return;
    }
    step.launch("const cudaError_t error_{} = {};", part, launched);
    step.launch("if (error_{} != cudaSuccess) {{", part);
    step.launch("  return error_{};", part);
    step.launch("}");
  }

  // Adds the functor that copies part `part` to `offset`, and goes on behind it.
  static Result<LoweredFunctor> add_part(StepBuilder& step, size_t part, int64_t& offset) {
    const Group& group = step.group();
    const ir::Node& node = group.root_node();
    const ir::ValueId operand = ir::tensor_operand(node, part);
    const Domain domain(group.graph->type(operand).shape);
    FunctorBuilder builder(step, fmt::format("{}Part{}", pascal_case(group.graph->value(group.results[0]).name), part),
                           domain, {map_coordinate(domain)});
    STITCH_ASSIGN(Expr element, builder.value(operand, domain.anchor_map()));
    const auto axis = static_cast<size_t>(ir::int_attribute(node, "dim"));
    IndexMap place = domain.anchor_map();
    place[axis].offset = offset;
    offset += domain.shape()[axis];
    builder.bind(node.outputs[0], place, std::move(element));
    STITCH_TRY(builder.store_results());
    LoweredFunctor functor = builder.finish(
        {.comment = "Writes kLanes neighbouring elements of one part.", .takes_index = true, .may_take_lanes = true});
    construct(step, functor, fmt::format("part_{}", part));
    return functor;
  }
};

}  // namespace

std::unique_ptr<KernelTemplate> make_cat() { return std::make_unique<Cat>(); }

}  // namespace stitch::kernels
