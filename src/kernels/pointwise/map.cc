// SPDX-License-Identifier: Apache-2.0
#include "kernels/pointwise/map.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <numeric>
#include <set>

#include "ir/graph/op.h"
#include "kernels/lowering/functor_builder.h"
#include "kernels/lowering/launch_text.h"
#include "kernels/lowering/strided_view.h"
#include "kernels/pointwise/map_launch.h"
#include "kernels/template/named_setting.h"

namespace stitch::kernels {
namespace {

enum class Lanes { kFour, kOne };  // elements that a thread takes at a time

constexpr std::array kSettings = {
    NamedSetting<Lanes>{"lanes_4", Lanes::kFour},
    NamedSetting<Lanes>{"lanes_1", Lanes::kOne},
};

// Results that do not follow from the root's: of work that only shares its launch.
std::vector<ir::ValueId> beside_root(const Group& group) {
  std::set<ir::ValueId> following(group.root_node().outputs.begin(), group.root_node().outputs.end());
  for (const ir::NodeId id : group.nodes) {
    const ir::Node& node = group.graph->node(id);
    const bool follows = std::any_of(node.operands.begin(), node.operands.end(), [&](const ir::Operand& operand) {
      return ir::is_tensor(operand) && following.count(std::get<ir::ValueId>(operand)) > 0;
    });
    if (follows) {
      following.insert(node.outputs.begin(), node.outputs.end());
    }
  }
  std::vector<ir::ValueId> beside;
  std::copy_if(group.results.begin(), group.results.end(), std::back_inserter(beside),
               [&](ir::ValueId result) { return following.count(result) == 0; });
  return beside;
}

// How the operands walk the result, about.
struct Walk {
  int64_t axes = 1;        // in different orders: each but the first is told from a thread's number by a division
  int64_t neighbours = 1;  // along the innermost
};

Walk walk_of(const Group& group) {
  const ir::Graph& graph = *group.graph;
  const TensorType& type = graph.type(group.root_node().outputs[0]);
  const bool turns = std::any_of(group.nodes.begin(), group.nodes.end(),
                                 [&](ir::NodeId id) { return graph.node(id).op == ir::Op::kPermute; });
  if (turns && !type.shape.empty()) {
    return {static_cast<int64_t>(type.shape.size()), type.shape.back()};
  }
  Walk walk{1, type.element_count()};
  for (const ir::ValueId operand : group.operands) {
    const int64_t count = graph.type(operand).element_count();
    if (count <= 1 || count >= type.element_count()) {
      continue;
    }
    // A row, or an element for each channel, behind which there are pixels.
    const auto channels = std::find(type.shape.rbegin(), type.shape.rend(), count);
    const int64_t pixels =
        std::accumulate(type.shape.rbegin(), channels, int64_t{1}, [](int64_t a, int64_t b) { return a * b; });
    const bool is_row = channels == type.shape.rend() || pixels == 1;
    walk.axes = std::max<int64_t>(walk.axes, is_row ? 2 : 3);
    walk.neighbours = std::min(walk.neighbours, is_row ? type.shape.back() : pixels);
  }
  return walk;
}

class PointwiseMap final : public KernelTemplate {
 public:
  const char* name() const override { return "pointwise"; }
  bool is_pointwise() const override { return true; }

  bool is_root(const ir::Graph&, const ir::Node& node) const override {
    return is_elementwise(node) || is_view(node) || is_generated(node);
  }

  // A table is read at places that are computed: it has to be in memory, at most seen through strides.
  std::vector<ir::ValueId> store_first(const Group& group) const override {
    std::vector<ir::ValueId> missing;
    for (const ir::NodeId id : group.nodes) {
      const ir::Node& node = group.graph->node(id);
      if (is_look_up(node) && !strided_view(group, ir::tensor_operand(node, 0)).has_value()) {
        missing.push_back(ir::tensor_operand(node, 0));
      }
    }
    return missing;
  }

  std::vector<Setting> space(const Group&, const DeviceLimits&, MathMode) const override {
    return settings_where(kSettings, [](Lanes) { return true; });
  }

  Work work(const Group& group, const Setting& setting) const override {
    constexpr int kThreads = 256;
    const auto count = group.graph->type(group.root_node().outputs[0]).element_count();
    Work work;
    work.lane_operations = pointwise_operations(group);
    work.bytes = min_bytes(group);
    work.blocks = count / kThreads + 1;
    work.blocks_per_multiprocessor = 8;
    constexpr int64_t kLanes = 4;
    work.bandwidth_share = 0.92;
    const Walk walk = walk_of(group);
    if (meaning_of(kSettings, setting) == Lanes::kOne || walk.neighbours % kLanes != 0) {
      // A thread that asks for one element of each operand, and divides for the others' places before it does, waits
      // most of its time: as many issue slots pass, of two FLOPs each. 2.4 to 1.2 TB/s of an H200.
      constexpr double kOfElement = 84, kOfDivision = 30;
      work.padded_flops =
          2 * (kOfElement + kOfDivision * static_cast<double>(walk.axes - 1)) * static_cast<double>(count);
    }
    return work;
  }

  Result<StepDraft> draft(const Group& group, const Setting& setting) const override {
    StepBuilder step(group);
    step.include("kernels/pointwise/map.cuh");
    step.describe(
        "Access: neighbouring threads take neighbouring elements of the result, four at a time where alignment "
        "allows.");
    step.describe("Bound: memory, every operand and result once.");
    const ir::ValueId root = group.root_node().outputs[0];
    const Domain domain(group.graph->type(root).shape);
    FunctorBuilder builder(step, pascal_case(group.graph->value(group.results[0]).name) + "Map", domain,
                           {map_coordinate(domain)});
    STITCH_TRY(builder.bind_computed(root, domain.anchor_map()));
    for (const ir::ValueId result : beside_root(group)) {
      STITCH_TRY(builder.bind_computed(result, domain.anchor_map()));
    }
    STITCH_TRY(builder.store_results());
    const bool wants_lanes = meaning_of(kSettings, setting) == Lanes::kFour;
    const LoweredFunctor functor = builder.finish({.comment = "Computes and stores kLanes neighbouring elements.",
                                                   .takes_index = true,
                                                   .may_take_lanes = wants_lanes});
    construct(step, functor, "map");
    STITCH_ASSIGN(const Expr launched, map_launch(step, functor, "map", ""));
    step.launch("return {};", launched);
    return step.take();
  }
};

}  // namespace

std::unique_ptr<KernelTemplate> make_pointwise_map() { return std::make_unique<PointwiseMap>(); }

}  // namespace stitch::kernels
