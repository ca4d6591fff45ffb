// SPDX-License-Identifier: Apache-2.0
#include "kernels/rnn/persistent_layer.h"

#include <algorithm>
#include <array>

#include "kernels/template/named_setting.h"

namespace stitch::kernels {
namespace {

struct ClusterRows {
  int64_t rows;  // samples of a cluster
};
constexpr std::array kPersistentSettings = {
    NamedSetting<ClusterRows>{"cluster_rows_1", {1}},
    NamedSetting<ClusterRows>{"cluster_rows_2", {2}},
    NamedSetting<ClusterRows>{"cluster_rows_4", {4}},
};
constexpr int64_t kBlocksOfCluster = 8;
constexpr int64_t kMostWarps = 16;
constexpr int64_t kLanesOfWarp = 32;
constexpr int64_t kDepthOfPiece = 4;  // of a lane

// As stitch::PersistentTile: units that a warp makes, and pieces of the depth that a lane has.
struct PersistentShape {
  int64_t units;
  int64_t pieces;
};

int64_t divided_up(int64_t value, int64_t divisor) { return (value + divisor - 1) / divisor; }

PersistentShape persistent_shape(const RecurrentProblem& layer) {
  constexpr int64_t kFewUnits = 2, kMoreUnits = 4;
  const bool are_few = layer.units <= kBlocksOfCluster * kMostWarps * kFewUnits;
  return {are_few ? kFewUnits : kMoreUnits, divided_up(layer.units, kLanesOfWarp * kDepthOfPiece)};
}

// A thread of 512 has 128 registers: its weights and its sums leave the rest to addresses and what is on the way. By
// what ptxas reports, an LSTM of 256 units does not hold the sums of four samples.
bool is_held(const RecurrentProblem& layer, int64_t rows) {
  constexpr int64_t kMostWeights = 64, kMostHeld = 88, kMostExtent = int64_t{1} << 28;
  const PersistentShape shape = persistent_shape(layer);
  const int64_t weights = layer.gates * shape.units * shape.pieces * kDepthOfPiece;
  const int64_t sums = layer.gates * shape.units * rows;
  return layer.units <= kBlocksOfCluster * kMostWarps * shape.units && weights <= kMostWeights &&
         weights + sums <= kMostHeld && layer.steps < kMostExtent && layer.batch < kMostExtent;
}

// Of a step on an H200, measured over 128 to 512 units and 1 to 4 samples a cluster (bench/kernels/recurrent_bench.cu):
// the way to the other blocks, then of each sample what is multiplied and what is joined; within a fifth.
double us_of_step(const RecurrentProblem& layer, int64_t rows) {
  constexpr double kWayUs = 0.52, kMultiplyUs = 0.027, kJoinUs = 0.065, kUnits = 256;
  const double units = static_cast<double>(layer.units) / kUnits;
  const auto gates = static_cast<double>(layer.gates);
  return kWayUs + static_cast<double>(rows) * gates * units * (kMultiplyUs * units + kJoinUs);
}

}  // namespace

bool is_persistent(const Setting& setting) { return is_named(kPersistentSettings, setting.variant); }

std::vector<Setting> persistent_settings(const RecurrentProblem& layer, const DeviceLimits& limits) {
  if (limits.cluster_blocks < kBlocksOfCluster) {
    return {};
  }
  return settings_where(kPersistentSettings, [&](const ClusterRows& meaning) {
    return meaning.rows < 2 * layer.batch && is_held(layer, meaning.rows);
  });
}

Work persistent_work(const Group& group, const RecurrentProblem& layer, const Setting& setting) {
  constexpr double kOperationsOfUnit = 60;
  // A cluster's lie together, and of 16 to 18 that do, not all are always there: 16 clusters do not run at once on 132.
  constexpr int64_t kMultiprocessorsOfCluster = 9;
  const int64_t rows = meaning_of(kPersistentSettings, setting).rows;
  const int64_t clusters = layer.direction_count() * divided_up(layer.batch, rows);
  const int64_t warps = divided_up(divided_up(layer.units, kBlocksOfCluster), persistent_shape(layer).units);
  const auto steps = static_cast<double>(layer.steps);
  const auto products = static_cast<double>(layer.gates * layer.units * layer.units);
  const auto states = static_cast<double>(layer.direction_count() * layer.batch * layer.units);
  Work work;
  work.flops = 2.0 * steps * static_cast<double>(layer.direction_count() * layer.batch) * products;
  work.padded_flops = 2.0 * steps * static_cast<double>(clusters * rows) * products;
  work.lane_operations = kOperationsOfUnit * steps * states + pointwise_operations(group);
  work.bytes = min_bytes(group);
  work.serial_us = steps * us_of_step(layer, rows);
  work.blocks = kMultiprocessorsOfCluster * clusters;
  work.blocks_per_multiprocessor = static_cast<int>(std::max<int64_t>(1, kMostWarps / warps));
  work.threads_per_block = static_cast<int>(kLanesOfWarp * warps);
  return work;
}

void add_persistent_launch(StepBuilder& step, const RecurrentProblem& layer, const Setting& setting) {
  const PersistentShape shape = persistent_shape(layer);
  const Expr rows = step.int_constant("rows_of_cluster", meaning_of(kPersistentSettings, setting).rows, "samples");
  const Expr units = step.int_constant("units_of_warp", shape.units);
  const Expr pieces = step.int_constant("pieces_of_lane", shape.pieces, "each four features of every unit's weights");
  step.launch("using Tile = stitch::PersistentTile<{}, {}, {}>;", rows, units, pieces);
  step.launch("return stitch::launch_persistent_layer<{}, Tile>(", layer.cell);
}

}  // namespace stitch::kernels
