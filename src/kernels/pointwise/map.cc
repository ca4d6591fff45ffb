// SPDX-License-Identifier: Apache-2.0
#include "kernels/pointwise/map.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <numeric>
#include <optional>
#include <set>

#include "ir/graph/op.h"
#include "kernels/lowering/functor_builder.h"
#include "kernels/lowering/launch_text.h"
#include "kernels/lowering/strided_view.h"
#include "kernels/pointwise/map_launch.h"
#include "kernels/template/named_setting.h"

namespace stitch::kernels {
namespace {

enum class Walking {
  kByFours,  // of the result's elements, where operands allow it
  kByOnes,
  kByTiles,  // of the result's innermost axis and that which an operand lies along
};

constexpr std::array kSettings = {
    NamedSetting<Walking>{"lanes_4", Walking::kByFours},
    NamedSetting<Walking>{"lanes_1", Walking::kByOnes},
    NamedSetting<Walking>{"tile_32x32", Walking::kByTiles},
};
constexpr int64_t kTile = 32;        // of turned_map.cuh
constexpr int64_t kLeastExtent = 8;  // of an axis that is worth tiles

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

bool has_permute(const Group& group) {
  return std::any_of(group.nodes.begin(), group.nodes.end(),
                     [&](ir::NodeId id) { return group.graph->node(id).op == ir::Op::kPermute; });
}

// How the operands walk the result, about.
struct Walk {
  int64_t axes = 1;        // in different orders: each but the first is told from a thread's number by a division
  int64_t neighbours = 1;  // along the innermost
};

Walk walk_of(const Group& group) {
  const ir::Graph& graph = *group.graph;
  const TensorType& type = graph.type(group.root_node().outputs[0]);
  if (has_permute(group) && !type.shape.empty()) {
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

Result<LoweredFunctor> lower(StepBuilder& step, bool may_take_lanes) {
  const Group& group = step.group();
  const ir::ValueId root = group.root_node().outputs[0];
  const Domain domain(group.graph->type(root).shape);
  FunctorBuilder builder(step, pascal_case(group.graph->value(group.results[0]).name) + "Map", domain,
                         {map_coordinate(domain)});
  STITCH_TRY(builder.bind_computed(root, domain.anchor_map()));
  for (const ir::ValueId result : beside_root(group)) {
    STITCH_TRY(builder.bind_computed(result, domain.anchor_map()));
  }
  STITCH_TRY(builder.store_results());
  return builder.finish({.comment = "Computes and stores kLanes neighbouring elements.",
                         .takes_index = true,
                         .may_take_lanes = may_take_lanes});
}

// The two axes that tiles would cover, where an operand lies along another one than the result.
struct TiledExtents {
  int64_t operand = 1;
  int64_t result = 1;

  double padding() const {
    const auto padded = [](int64_t extent) { return (extent + kTile - 1) / kTile * kTile; };
    return static_cast<double>(padded(operand) * padded(result)) / static_cast<double>(operand * result);
  }
};

std::optional<TiledExtents> tiled_extents(const Group& group) {
  if (!has_permute(group)) {
    return std::nullopt;
  }
  StepBuilder step(group);
  const Result<LoweredFunctor> functor = lower(step, false);
  const std::optional<size_t> axis = functor.has_value() ? turned_axis(functor.value()) : std::nullopt;
  if (!axis.has_value()) {
    return std::nullopt;
  }
  return TiledExtents{functor.value().digits[*axis].extent, functor.value().digits.back().extent};
}

// As many issue slots pass an element while threads wait, about. None that count where a thread asks for four elements
// of each operand at a time.
double issue_slots(const Group& group, Walking walking) {
  // Of one that asks for one element, and divides for the others' places before it does: 2.4 to 1.2 TB/s of an H200. Of
  // one whose neighbours ask for other sectors, of which each uses four bytes of 32: 1.2 TB/s of both H100 and H200.
  constexpr double kOfElement = 84, kOfDivision = 30, kOfSector = 220;
  constexpr int64_t kLanes = 4;
  const std::optional<TiledExtents> tiled = tiled_extents(group);
  if (walking == Walking::kByTiles) {  // not measured: a tile's place is found once, four elements are on their way
    return kOfElement / 4 * (tiled.has_value() ? tiled->padding() : 1);
  }
  if (tiled.has_value()) {
    return kOfSector;
  }
  const Walk walk = walk_of(group);
  const bool takes_lanes = walking == Walking::kByFours && walk.neighbours % kLanes == 0;
  return takes_lanes ? 0 : kOfElement + kOfDivision * static_cast<double>(walk.axes - 1);
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

  std::vector<Setting> space(const Group& group, const DeviceLimits&, MathMode) const override {
    const std::optional<TiledExtents> tiled = tiled_extents(group);
    const bool has_tiles = tiled.has_value() && std::min(tiled->operand, tiled->result) >= kLeastExtent;
    return settings_where(kSettings, [&](Walking walking) { return walking != Walking::kByTiles || has_tiles; });
  }

  // Tiles of few elements are slow, and right.
  bool allows(const Group&, const Setting& setting) const override {
    return setting.splits == 1 && is_named(kSettings, setting.variant);
  }

  Work work(const Group& group, const Setting& setting) const override {
    constexpr int kThreads = 256;
    const auto count = group.graph->type(group.root_node().outputs[0]).element_count();
    Work work;
    work.lane_operations = pointwise_operations(group);
    work.bytes = min_bytes(group);
    work.blocks = count / kThreads + 1;
    work.blocks_per_multiprocessor = 8;
    const Walking walking = meaning_of(kSettings, setting);
    work.bandwidth_share = walking == Walking::kByTiles ? 0.8 : 0.92;
    work.padded_flops = issue_slots(group, walking) * 2 * static_cast<double>(count);
    return work;
  }

  Result<StepDraft> draft(const Group& group, const Setting& setting) const override {
    StepBuilder step(group);
    const Walking walking = meaning_of(kSettings, setting);
    STITCH_ASSIGN(const LoweredFunctor functor, lower(step, walking == Walking::kByFours));
    const std::optional<size_t> axis = walking == Walking::kByTiles ? turned_axis(functor) : std::nullopt;
    step.include(axis.has_value() ? "kernels/pointwise/turned_map.cuh" : "kernels/pointwise/map.cuh");
    step.describe(axis.has_value()
                      ? "Access: by tiles of the axis that an operand lies along in memory and the one that the result "
                        "lies along, so that sectors of both are used whole."
                      : "Access: neighbouring threads take neighbouring elements of the result, four at a time where "
                        "alignment allows.");
    step.describe("Bound: memory, every operand and result once.");
    construct(step, functor, "map");
    STITCH_ASSIGN(const Expr launched, axis.has_value() ? turned_map_launch(step, functor, "map", *axis)
                                                        : map_launch(step, functor, "map", ""));
    step.launch("return {};", launched);
    return step.take();
  }
};

}  // namespace

std::unique_ptr<KernelTemplate> make_pointwise_map() { return std::make_unique<PointwiseMap>(); }

}  // namespace stitch::kernels
