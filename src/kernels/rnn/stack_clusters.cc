// SPDX-License-Identifier: Apache-2.0
#include "kernels/rnn/stack_clusters.h"

#include <algorithm>
#include <array>

#include "kernels/template/named_setting.h"

namespace stitch::kernels {
namespace {

struct RowsOfCluster {
  int64_t rows;  // samples of a cluster
};
// Those of a cluster cost about what one does: as few clusters as there can be have them, as evenly as they can.
constexpr std::array kStackClusters = {
    NamedSetting<RowsOfCluster>{"cluster_rows_1", {1}}, NamedSetting<RowsOfCluster>{"cluster_rows_2", {2}},
    NamedSetting<RowsOfCluster>{"cluster_rows_3", {3}}, NamedSetting<RowsOfCluster>{"cluster_rows_4", {4}},
    NamedSetting<RowsOfCluster>{"cluster_rows_5", {5}}, NamedSetting<RowsOfCluster>{"cluster_rows_6", {6}},
    NamedSetting<RowsOfCluster>{"cluster_rows_7", {7}}, NamedSetting<RowsOfCluster>{"cluster_rows_8", {8}},
};
constexpr int64_t kBlocksOfStackCluster = 8;
constexpr int64_t kMostRowsOfCluster = 8;  // columns of a product on tensor cores
constexpr int64_t kFewUnitsOfBlock = 16;   // a tile of rows
constexpr int64_t kManyUnitsOfBlock = 32;  // two of them
constexpr int64_t kMostStepsOfChunk = 8;
constexpr int64_t kColumnsOfChunk = 16;
constexpr int64_t kWordBytes = 4;
// A cluster's lie together, and of 16 to 18 that do, not all are always there.
constexpr int64_t kMultiprocessorsOfStackCluster = 9;

int64_t stack_divided(int64_t value, int64_t divisor) { return (value + divisor - 1) / divisor; }

// As stitch::StackClusterTile.
struct StackClusterShape {
  int64_t units_of_block;
  int64_t clusters;  // of a layer
  int64_t rows;      // samples of a cluster
  int64_t steps;     // of a chunk

  int64_t depth() const { return kBlocksOfStackCluster * units_of_block; }
};

StackClusterShape cluster_shape(const RecurrentProblem& layer, int64_t rows) {
  StackClusterShape shape{};
  shape.rows = rows;
  shape.units_of_block = layer.units <= kBlocksOfStackCluster * kFewUnitsOfBlock ? kFewUnitsOfBlock : kManyUnitsOfBlock;
  shape.clusters = stack_divided(layer.batch, rows);
  shape.steps = std::min(kMostStepsOfChunk, kColumnsOfChunk / rows);
  return shape;
}

// States of the layers below the last as words, the first layer's gates, and counters: as many as clusters of one
// sample would have, so that the sum is in proportion to the batch.
int64_t pieces_bytes(const Stack& stack, const StackClusterShape& shape) {
  constexpr int64_t kOfAlignment = 16, kAlone = 2;  // words
  const RecurrentProblem& top = stack.top();
  const int64_t rows = top.steps * top.batch;
  const int64_t counters = stack.count() * top.batch * stack_divided(top.steps, shape.steps);
  return kWordBytes *
         (kOfAlignment + kAlone + (stack.count() - 1) * rows * shape.depth() + rows * top.gates * top.units + counters);
}

// What a step of all layers takes on an H200, which are a few steps apart: fitted to six stacks, five of them within a
// twentieth, one of a single sample a fifth too long (bench/kernels/recurrent_stack_bench.cu). Nobody has measured four
// gates of at most 128 units.
double us_of_stack_step(const RecurrentProblem& layer, const StackClusterShape& shape) {
  constexpr double kWayUs = 0.58, kRowUs = 0.03, kGateUs = 0.27;
  // Few warps of states: four of a layer of one gate, and eight where there are four gates.
  constexpr double kOneGateUs = 0.55, kFourGatesUs = 1.0;
  const double units = static_cast<double>(shape.units_of_block) / kManyUnitsOfBlock;
  const double few = layer.gates == 1 ? kOneGateUs : (layer.gates > 3 ? units * kFourGatesUs : 0.0);
  return kWayUs + few + units * (kRowUs * static_cast<double>(shape.rows) + kGateUs * static_cast<double>(layer.gates));
}

}  // namespace

bool is_stack_clusters(const Setting& setting) { return is_named(kStackClusters, setting.variant); }

bool allows_stack_clusters(const Stack& stack, const Setting& setting) {
  constexpr int64_t kMostExtent = int64_t{1} << 28, kMostBytes = int64_t{1} << 30;
  const RecurrentProblem& top = stack.top();
  return top.cell != "stitch::RnnReluCell" && top.units <= kBlocksOfStackCluster * kManyUnitsOfBlock &&
         top.steps < kMostExtent && top.batch < kMostExtent &&
         pieces_bytes(stack, cluster_shape(top, meaning_of(kStackClusters, setting).rows)) <= kMostBytes;
}

std::vector<Setting> stack_clusters_space(const Stack& stack, const DeviceLimits& limits) {
  constexpr int kRoomOfBlock = 227 * 1024;  // of shared memory
  const RecurrentProblem& top = stack.top();
  if (limits.cluster_blocks < kBlocksOfStackCluster || limits.shared_bytes_per_block < kRoomOfBlock ||
      top.batch * top.units * top.steps == 0) {
    return {};
  }
  const int64_t clusters = stack_divided(top.batch, kMostRowsOfCluster);
  if (stack.count() * clusters * kMultiprocessorsOfStackCluster > limits.multiprocessors) {
    return {};  // not all would run at once
  }
  const int64_t rows = stack_divided(top.batch, clusters);
  std::vector<Setting> settings =
      settings_where(kStackClusters, [&](const RowsOfCluster& meaning) { return meaning.rows == rows; });
  return allows_stack_clusters(stack, settings.front()) ? settings : std::vector<Setting>{};
}

Work stack_clusters_work(const Group& group, const Stack& stack, const Setting& setting) {
  constexpr double kOperationsOfUnit = 60;
  constexpr double kProductsOfClass = 3;  // of fp16, in one of fp32
  constexpr double kGatesFlopsOfUs = 20e6;
  constexpr int64_t kChunksBetweenLayers = 3;
  const RecurrentProblem& top = stack.top();
  const StackClusterShape shape = cluster_shape(top, meaning_of(kStackClusters, setting).rows);
  const auto rows = static_cast<double>(top.steps * top.batch);
  const auto gate_rows = static_cast<double>(top.gates * top.units);
  const auto features = static_cast<double>(group.graph->type(stack.layers[0].x).shape[2]);
  const auto layers = static_cast<double>(stack.count());
  const double gates_flops = 2.0 * rows * gate_rows * features;
  const double stack_flops = 2.0 * rows * gate_rows * (2 * layers - 1) * static_cast<double>(top.units);
  Work work;
  work.launches = static_cast<int>(stack.count()) + 3;  // initial states, gates, layers, repair
  work.pipe = Pipe::kFp16;
  work.flops = gates_flops + stack_flops;
  work.padded_flops = gates_flops + kProductsOfClass * stack_flops;
  work.lane_operations =
      kOperationsOfUnit * layers * rows * static_cast<double>(top.units) + pointwise_operations(group);
  work.bytes = min_bytes(group);
  const auto steps = static_cast<double>(top.steps + (stack.count() - 1) * kChunksBetweenLayers * shape.steps);
  work.serial_us = steps * us_of_stack_step(top, shape) + gates_flops / kGatesFlopsOfUs;
  work.blocks = kMultiprocessorsOfStackCluster * stack.count() * shape.clusters;
  const int64_t state_warps = top.gates > 3 ? 2 : 4;  // of a gate
  constexpr int64_t kInputWarps = 4, kLanes = 32;
  work.threads_per_block = static_cast<int>(kLanes * (state_warps * top.gates + kInputWarps));
  work.peak_share = 0.3;
  return work;
}

void add_stack_clusters_launch(StepBuilder& step, const Stack& stack, const Setting& setting,
                               int64_t own_scratch_bytes) {
  const StackClusterShape shape = cluster_shape(stack.top(), meaning_of(kStackClusters, setting).rows);
  const int64_t all_bytes = own_scratch_bytes + pieces_bytes(stack, shape);
  step.set_scratch_bytes(all_bytes);
  step.include("kernels/rnn/stack_clusters.cuh");
  const Expr units = step.int_constant("units_of_block", shape.units_of_block, "of a cluster of eight");
  const Expr rows = step.int_constant("rows_of_cluster", shape.rows, "samples");
  step.launch("using Tile = stitch::StackClusterTile<{}, {}, {}>;", stack.top().cell, units, rows);
  step.launch("// Behind the states.");
  step.launch("const stitch::StackClusterPieces<Tile> pieces(shape, kLayers, state.cell + kLayers * state.states());");
  step.launch("return stitch::launch_stack_clusters(shape, operands, state, pieces, store, stream);");
}

}  // namespace stitch::kernels
