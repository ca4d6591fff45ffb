// SPDX-License-Identifier: Apache-2.0
#include "kernels/reduce/rewrite.h"

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <set>

#include "ir/graph/op.h"
#include "kernels/reduce/accumulator.h"
#include "kernels/reduce/total_store.h"
#include "kernels/rows/cluster_rows.h"
#include "kernels/rows/held_rows.h"
#include "kernels/rows/lanes.h"
#include "kernels/rows/row_functors.h"
#include "kernels/rows/row_sharing.h"

namespace stitch::kernels {
namespace {

struct TileSize {
  int sharers;     // threads that share the reduced axis
  int per_thread;  // groups of lanes that a thread keeps
  int lanes;
  int64_t capacity() const { return int64_t{sharers} * per_thread; }
};
constexpr std::array kTiles = {
    NamedSetting<TileSize>{"tile_8x8x4", {8, 8, 4}},     NamedSetting<TileSize>{"tile_1x4x4", {1, 4, 4}},
    NamedSetting<TileSize>{"tile_1x8x4", {1, 8, 4}},     NamedSetting<TileSize>{"tile_1x16x4", {1, 16, 4}},
    NamedSetting<TileSize>{"tile_4x8x4", {4, 8, 4}},     NamedSetting<TileSize>{"tile_4x16x4", {4, 16, 4}},
    NamedSetting<TileSize>{"tile_16x8x4", {16, 8, 4}},   NamedSetting<TileSize>{"tile_16x16x2", {16, 16, 2}},
    NamedSetting<TileSize>{"tile_1x32x1", {1, 32, 1}},   NamedSetting<TileSize>{"tile_4x32x1", {4, 32, 1}},
    NamedSetting<TileSize>{"tile_8x32x1", {8, 32, 1}},   NamedSetting<TileSize>{"tile_16x32x1", {16, 32, 1}},
    NamedSetting<TileSize>{"tile_32x32x1", {32, 32, 1}},
};
constexpr int64_t kLongestColumn = 1024;  // of what a block keeps
constexpr int64_t kLongestRow = 2 << 20;  // of what all blocks keep

ir::ValueId reduced_value(const Group& group) { return ir::tensor_operand(group.root_node(), 0); }

// Results with an element for each that is reduced, or with one for each reduction of them.
enum class Walked { kElements, kTotals };

std::vector<ir::ValueId> results_of(const Group& group, Walked walked) {
  const ir::Graph& graph = *group.graph;
  const ir::ValueId like = walked == Walked::kElements ? reduced_value(group) : group.root_node().outputs[0];
  std::vector<ir::ValueId> results;
  std::copy_if(group.results.begin(), group.results.end(), std::back_inserter(results), [&](ir::ValueId result) {
    return graph.type(result).element_count() == graph.type(like).element_count();
  });
  return results;
}

// What `value` is computed from element by element, where that is one tensor of its shape beside smaller ones.
std::optional<ir::ValueId> only_source(const Group& group, ir::ValueId value) {
  const ir::Graph& graph = *group.graph;
  if (!group.computes(value)) {
    return std::nullopt;
  }
  const ir::Node& node = graph.node(graph.value(value).producer);
  if (!is_elementwise(node) || is_look_up(node) || is_random(node)) {
    return std::nullopt;
  }
  std::set<ir::ValueId> sources;
  for (const ir::Operand& operand : node.operands) {
    if (ir::is_tensor(operand) &&
        graph.type(std::get<ir::ValueId>(operand)).element_count() == graph.type(value).element_count()) {
      sources.insert(std::get<ir::ValueId>(operand));
    }
  }
  if (sources.size() != 1 || graph.type(*sources.begin()).shape != graph.type(value).shape) {
    return std::nullopt;
  }
  return *sources.begin();
}

// The value whose elements are kept: the last on the way back from what is reduced that results are computed from as
// well. None where they share nothing.
std::optional<ir::ValueId> kept_value(const Group& group) {
  const ir::Graph& graph = *group.graph;
  std::vector<ir::ValueId> way = {reduced_value(group)};
  while (const auto source = only_source(group, way.back())) {
    way.push_back(*source);
  }
  size_t found = way.size();
  std::set<ir::ValueId> seen;
  const std::function<void(ir::ValueId)> walk = [&](ir::ValueId value) {
    const auto met = std::find(way.begin(), way.end(), value);
    if (met != way.end()) {
      const auto place = static_cast<size_t>(met - way.begin());
      found = found == way.size() ? place : std::max(found, place);
      return;
    }
    if (!seen.insert(value).second || !group.computes(value)) {
      return;
    }
    const ir::Node& node = graph.node(graph.value(value).producer);
    for (const ir::Operand& operand : node.operands) {
      if (ir::is_tensor(operand) && !is_reduction(node)) {
        walk(std::get<ir::ValueId>(operand));
      }
    }
  };
  std::for_each(group.results.begin(), group.results.end(), walk);
  return found == way.size() ? std::nullopt : std::optional(way[found]);
}

// The innermost extents behind the reduced axes allow accesses of several elements.
bool has_aligned_columns(const Group& group, const RowAxes& axes) {
  constexpr int64_t kLanes = 4;
  const std::vector<int64_t>& shape = group.graph->type(reduced_value(group)).shape;
  int64_t neighbours = 1;
  for (size_t axis = static_cast<size_t>(axes.columns.back()) + 1; axis < shape.size(); ++axis) {
    neighbours *= shape[axis];
  }
  return neighbours % kLanes == 0;
}

Work tile_work(const Group& group, const RowAxes& axes, const TileSize& tile) {
  constexpr int kWarp = 32;
  constexpr int kBlock = 256;
  constexpr int kRegisters = 65536;    // of a multiprocessor
  constexpr int kOtherRegisters = 36;  // of a thread, beside what it keeps
  constexpr int kOfAddress = 2;        // of each group that is under way
  constexpr int kMostThreads = 2048;
  constexpr double kBest = 0.9;
  constexpr double kEnoughInFlight = 40 * 1024;  // bytes of a multiprocessor
  const int lanes = has_aligned_columns(group, axes) ? tile.lanes : 1;
  const int wide = tile.sharers < kBlock / kWarp ? kBlock / tile.sharers : kWarp;
  const int kept = tile.per_thread * lanes;
  const int registers = kOtherRegisters + kept + kOfAddress * tile.per_thread;
  const auto elements = static_cast<double>(axes.row_count) * static_cast<double>(axes.column_count);
  Work work;
  work.threads_per_block = tile.sharers * wide;
  work.blocks = (axes.row_count + int64_t{wide} * lanes - 1) / (int64_t{wide} * lanes);
  work.blocks_per_multiprocessor = std::max(1, std::min(kMostThreads, kRegisters / registers) / work.threads_per_block);
  const double filled = std::min(1.0, static_cast<double>(axes.column_count) / static_cast<double>(tile.capacity()));
  const double in_flight =
      sizeof(float) * filled * kept * work.threads_per_block * static_cast<double>(work.blocks_per_multiprocessor);
  work.bandwidth_share = kBest * (0.8 + 0.2 * filled) * std::min(1.0, in_flight / kEnoughInFlight);
  constexpr int kSpared = 8;  // where there are not enough
  if ((registers - kSpared) * work.threads_per_block > kRegisters) {
    constexpr double kSpilled = 0.12;  // measured with 1,024 threads that keep 32 elements each
    work.bandwidth_share *= kSpilled;
  }
  work.lane_operations = pointwise_operations(group) + 6 * elements / lanes +
                         4.0 * static_cast<double>(axes.row_count) * tile.sharers * tile.sharers;
  return work;
}

// A block reads, joins its threads and writes, one after the other: an H200 took some 4 us for each block that a
// multiprocessor has in turn, of rows of 98 elements and of 490. Threads without elements look at each of their places.
Work rewriting_row_work(const Group& group, const RowAxes& axes, const Setting& setting) {
  constexpr double kLatency = 2.6;
  constexpr double kOfElement = 0.08;  // us of each that a thread has
  constexpr double kOfRegister = 0.03;
  constexpr double kOfThreads = 0.5 / 1024;
  constexpr double kOfPlace = 20;       // lane operations
  constexpr int kThreadsAtOnce = 1024;  // of a multiprocessor
  const RowSettingSize size = row_setting_size(setting);
  const int64_t capacity = int64_t{size.threads} * size.per_thread;
  Work work = row_work(group, axes, setting, 2);
  work.blocks_per_multiprocessor = std::max(1, kThreadsAtOnce / work.threads_per_block);
  work.serial_us = kLatency + kOfElement * static_cast<double>(axes.column_count) / size.threads +
                   kOfRegister * size.per_thread + kOfThreads * size.threads;
  if (capacity > axes.column_count) {
    work.lane_operations += kOfPlace * static_cast<double>(axes.row_count * (capacity - axes.column_count));
  }
  return work;
}

// Reads of those elements that are read twice.
double kept_bytes(const Group& group) { return static_cast<double>(group.graph->type(reduced_value(group)).bytes()); }

Result<LoweredFunctor> make_term(StepBuilder& step, ir::ValueId kept, const std::vector<Coordinate>& coordinates) {
  const ir::Graph& graph = *step.group().graph;
  const ir::ValueId reduced = reduced_value(step.group());
  const Domain domain(graph.type(reduced).shape);
  FunctorBuilder builder(step, pascal_case(graph.value(reduced).name) + "Term", domain, coordinates);
  builder.bind(kept, domain.anchor_map(), bound("value"));
  STITCH_ASSIGN(Expr term, builder.value(reduced, domain.anchor_map()));
  return builder.finish(
      {.comment = "What is reduced of an element.", .lane_value = "value", .returns = std::move(term)});
}

// Where the results of a reduction are while its elements are visited.
IndexMap total_map(const Domain& domain, const ir::Node& reduction) {
  const std::vector<int64_t>& dims = ir::ints_attribute(reduction, "dim");
  const bool keeps = ir::bool_attribute(reduction, "keepdim");
  const IndexMap all = domain.anchor_map();
  IndexMap map;
  for (size_t axis = 0; axis < all.size(); ++axis) {
    if (std::find(dims.begin(), dims.end(), static_cast<int64_t>(axis)) == dims.end()) {
      map.push_back(all[axis]);
    } else if (keeps) {
      map.emplace_back();
    }
  }
  return map;
}

Result<LoweredFunctor> make_rewriting_store(StepBuilder& step, ir::ValueId kept,
                                            const std::vector<Coordinate>& coordinates,
                                            const AccumulatorKind& accumulator, const Expr& count) {
  const Group& group = step.group();
  const ir::Graph& graph = *group.graph;
  const Domain domain(graph.type(kept).shape);
  const std::vector<ir::ValueId> results = results_of(group, Walked::kElements);
  FunctorBuilder builder(step, pascal_case(graph.value(results[0]).name) + "Store", domain, coordinates);
  builder.bind(kept, domain.anchor_map(), bound("value", "values[lane]"));
  Expr count_member;
  for (const ir::NodeId id : reductions_behind(group, group.root_node(), results)) {
    const ir::Node& node = graph.node(id);
    if (node.op == ir::Op::kMean && accumulator.needs_count && count_member.is_nothing()) {
      count_member = builder.member("float", "count", cast("float", count));
    }
    builder.bind_computation(node.outputs[0], total_map(domain, node), accumulator.result(node, count_member));
  }
  STITCH_TRY(builder.store_results(results));
  return builder.finish({.comment = "Stores what follows from an element and the total of all it was reduced with.",
                         .lane_total = "stitch::" + std::string(accumulator.type),
                         .lane_value = "value",
                         .may_take_lanes = true});
}

void describe(StepBuilder& step, const Setting& setting) {
  if (is_named(kTiles, setting.variant)) {
    step.include("kernels/reduce/rewrite_columns.cuh");
    step.describe(
        "Access: neighbouring threads read neighbouring rows, walk down their columns of elements and keep them.");
  } else if (is_cluster_row(setting)) {
    step.include("kernels/reduce/rewrite_cluster.cuh");
    step.describe("Access: the blocks of a cluster share a row and keep it in their shared memory.");
  } else if (is_lanes(setting)) {
    step.include("kernels/reduce/rewrite_lanes.cuh");
    step.describe("Access: some lanes of a warp share a row, of which each has four in flight, and keep them.");
  } else if (is_held_row(setting)) {
    step.include("kernels/reduce/rewrite_held.cuh");
    step.describe("Access: blocks share a row; each keeps its part until the whole row is read.");
  } else {
    step.include("kernels/reduce/rewrite_rows.cuh");
    step.describe("Access: the threads of a row read neighbouring elements and keep them.");
  }
}

// The end of the step's function.
void launch(StepBuilder& step, const RowAxes& axes, const Setting& setting, const AccumulatorKind& accumulator,
            const Expr& reduced, const LoweredFunctor& load, const LoweredFunctor& stored) {
  const std::vector<LaneUser> users = {{&load, "load"}, {&stored, "store"}};
  const bool has_totals = !results_of(step.group(), Walked::kTotals).empty();
  const char* store = has_totals ? "results" : "store";
  if (has_totals) {
    step.launch("const stitch::StoreBesides {}{{store, of_row}};", store);
  }
  if (is_named(kTiles, setting.variant)) {
    const TileSize tile = meaning_of(kTiles, setting);
    const Expr kept = step.extent("kept", axes.row_count, "results of a reduction");
    const Expr vectorised = prove_vectorised(step, kept, users);
    step.launch("const stitch::ReduceShape shape{{{}, {}, {}}};", kept, reduced, vectorised);
    const Expr sharers = step.int_constant("threads_per_column", tile.sharers);
    const Expr per_thread = step.int_constant("groups_per_thread", tile.per_thread);
    const Expr lanes = step.int_constant("tile_lanes", tile.lanes);
    step.launch("return stitch::launch_rewrite_columns<stitch::{}, {}, {}, {}>(load, term, {}, shape, stream);",
                accumulator.type, sharers, per_thread, lanes, store);
    return;
  }
  const Expr rows = step.extent("rows", axes.row_count);
  if (is_cluster_row(setting)) {
    add_cluster_row_shape(step, rows, reduced, setting, load, stored);
    step.launch("return stitch::launch_rewrite_cluster<stitch::{}, {}>(load, term, {}, shape, stream);",
                accumulator.type, step.int_constant("threads_per_block", cluster_row_threads(setting)), store);
    return;
  }
  const Expr vectorised = prove_vectorised(step, reduced, users);
  step.launch("const stitch::RowShape shape{{{}, {}, {}}};", rows, reduced, vectorised);
  if (is_lanes(setting)) {
    step.launch("return stitch::launch_rewrite_lanes<stitch::{}, {}, {}>(load, term, {}, shape, stream);",
                accumulator.type, step.int_constant("threads_per_row", lanes_of(setting).of_row),
                step.int_constant("elements_per_thread", lanes_of(setting).per_thread), store);
    return;
  }
  const bool is_held = is_held_row(setting);
  const RowSettingSize size = is_held ? held_row_size(setting) : row_setting_size(setting);
  const Expr threads = step.int_constant(is_held ? "threads_per_part" : "threads_per_row", size.threads);
  const Expr per_thread = step.int_constant("elements_per_thread", size.per_thread);
  if (is_held) {
    step.set_scratch_bytes(held_row_scratch_bytes(axes, setting, accumulator.bytes));
    step.launch("return stitch::launch_rewrite_held<stitch::{}, {}, {}>(", accumulator.type, threads, per_thread);
    step.launch("    load, term, {}, shape, args->scratch, stream);", store);
    return;
  }
  step.launch("return stitch::launch_rewrite_rows<stitch::{}, {}, {}>(load, term, {}, shape, stream);",
              accumulator.type, threads, per_thread, store);
}

}  // namespace

bool is_rewrite(const Group& group) {
  const ir::Graph& graph = *group.graph;
  const size_t elements = results_of(group, Walked::kElements).size();
  return graph.type(group.root_node().outputs[0]).element_count() != graph.type(reduced_value(group)).element_count() &&
         elements > 0 && elements + results_of(group, Walked::kTotals).size() == group.results.size();
}

bool rewrites_beside_totals(const Group& group) {
  return is_rewrite(group) && !results_of(group, Walked::kTotals).empty();
}

std::vector<Setting> rewrite_space(const Group& group, const DeviceLimits& limits) {
  const RowAxes axes = reduced_axes(group);
  if (reduces_innermost(group, axes)) {
    if (axes.column_count > kLongestRow) {
      return {};
    }
    std::vector<Setting> settings = row_settings();
    const std::vector<Setting> held = held_row_settings(axes, limits);
    settings.insert(settings.end(), held.begin(), held.end());
    const std::vector<Setting> clusters = cluster_row_settings(axes, limits);
    settings.insert(settings.end(), clusters.begin(), clusters.end());
    const std::vector<Setting> lanes = short_row_settings(axes.column_count);
    settings.insert(settings.end(), lanes.begin(), lanes.end());
    return settings;
  }
  return axes.column_count <= kLongestColumn ? settings_where(kTiles, [](const TileSize&) { return true; })
                                             : std::vector<Setting>();
}

Work rewrite_work(const Group& group, const Setting& setting) {
  const RowAxes axes = reduced_axes(group);
  if (is_cluster_row(setting)) {
    return cluster_row_work(group, axes, setting);
  }
  if (is_lanes(setting)) {
    return short_row_work(group, axes, setting);
  }
  if (!is_named(kTiles, setting.variant)) {
    return is_held_row(setting) ? held_row_work(group, axes, setting) : rewriting_row_work(group, axes, setting);
  }
  const TileSize tile = meaning_of(kTiles, setting);
  Work work = tile_work(group, axes, tile);
  work.bytes = min_bytes(group);
  work.extra_bytes = axes.column_count > tile.capacity() ? kept_bytes(group) : 0;
  return work;
}

Result<StepDraft> draft_rewrite(const Group& group, const Setting& setting) {
  const std::optional<ir::ValueId> kept = kept_value(group);
  if (!kept.has_value() || !is_floating_point(group.graph->type(*kept).dtype) ||
      !is_floating_point(group.graph->type(reduced_value(group)).dtype)) {
    return failure(ErrorCode::kUnsupportedOperator, "the results are not made of the elements that are reduced");
  }
  const RowAxes axes = reduced_axes(group);
  const bool is_tile = is_named(kTiles, setting.variant);
  const Coordinate row{"row", axes.rows};
  const Coordinate column{"column", axes.columns};
  const std::vector<Coordinate> coordinates =
      is_tile ? std::vector<Coordinate>{column, row} : std::vector<Coordinate>{row, column};
  STITCH_ASSIGN(const AccumulatorKind accumulator, choose_accumulator(*group.graph, reductions_of(group)));
  StepBuilder step(group);
  describe(step, setting);
  step.describe("Bound: memory, one read and one write of every element.");
  STITCH_ASSIGN(const LoweredFunctor load,
                is_tile ? make_column_loader(step, *kept, axes) : make_row_loader(step, *kept, axes, true));
  STITCH_ASSIGN(const LoweredFunctor term, make_term(step, *kept, coordinates));
  const Expr reduced = step.extent("reduced", axes.column_count, "elements summed up in one result");
  STITCH_ASSIGN(const LoweredFunctor store, make_rewriting_store(step, *kept, coordinates, accumulator, reduced));
  construct(step, load, "load");
  construct(step, term, "term");
  construct(step, store, "store");
  if (const std::vector<ir::ValueId> totals = results_of(group, Walked::kTotals); !totals.empty()) {
    STITCH_ASSIGN(const LoweredFunctor of_row, make_total_store(step, group.root_node(), accumulator, reduced, totals));
    construct(step, of_row, "of_row");
  }
  launch(step, axes, setting, accumulator, reduced, load, store);
  return step.take();
}

}  // namespace stitch::kernels
