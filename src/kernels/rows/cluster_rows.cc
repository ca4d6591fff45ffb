// SPDX-License-Identifier: Apache-2.0
#include "kernels/rows/cluster_rows.h"

#include <algorithm>
#include <array>

#include "kernels/template/named_setting.h"

namespace stitch::kernels {
namespace {

constexpr std::array kClusterRowSettings = {
    NamedSetting<int>{"cluster_256", 256},
    NamedSetting<int>{"cluster_512", 512},
};
constexpr int64_t kMostBlocks = 8;
constexpr int64_t kOfTotals = 1024;  // bytes of a block's shared memory, beside its part
constexpr int64_t kMinEach = 4;      // elements of a thread

int64_t part_of(const RowAxes& axes, int64_t blocks) {
  constexpr int64_t kWhole = 4;
  return ((axes.column_count + blocks - 1) / blocks + kWhole - 1) / kWhole * kWhole;
}

int64_t bytes_of(const RowAxes& axes, int64_t blocks) {
  return part_of(axes, blocks) * static_cast<int64_t>(sizeof(float)) + kOfTotals;
}

}  // namespace

std::vector<Setting> cluster_row_settings(const RowAxes& axes, const DeviceLimits& limits) {
  std::vector<Setting> settings;
  for (const NamedSetting<int>& named : kClusterRowSettings) {
    for (int64_t blocks = 2; blocks <= std::min<int64_t>(kMostBlocks, limits.cluster_blocks); blocks *= 2) {
      if (part_of(axes, blocks) >= kMinEach * named.meaning &&
          bytes_of(axes, blocks) <= limits.shared_bytes_per_block) {
        settings.push_back({named.name, blocks});
      }
    }
  }
  return settings;
}

bool is_cluster_row(const Setting& setting) {
  const bool is_whole = setting.splits == 2 || setting.splits == 4 || setting.splits == kMostBlocks;
  return is_named(kClusterRowSettings, setting.variant) && is_whole;
}

int cluster_row_threads(const Setting& setting) { return meaning_of(kClusterRowSettings, setting); }

Work cluster_row_work(const Group& group, const RowAxes& axes, const Setting& setting) {
  // Of an H200: 2,048 rows of 63,504 took 298 us in four blocks of 512, 301 in eight of 256, 333 in four of 256, 453 in
  // two of 256, and 394 in eight of 512, whose threads have 15 elements each.
  constexpr double kBest = 0.87;
  constexpr double kElementsBesides = 6;  // of a thread, in the time that a block takes beside them
  constexpr double kOneByOne = 0.85;      // 512 rows of 123,039
  constexpr double kInPieces = 0.8;       // batch norms, whose rows have a piece in each sample
  constexpr double kAlone = 0.45;         // a block that nothing runs beside reads, then writes
  constexpr double kLatency = 3.5;        // us of a block, and of each that its cluster has
  constexpr double kLatencyOfBlock = 0.4;
  constexpr int64_t kSharedBytes = 227 * 1024;  // of a multiprocessor
  constexpr int64_t kMostThreads = 1536;
  constexpr double kEnoughThreads = 1024;
  const int threads = cluster_row_threads(setting);
  const auto elements = static_cast<double>(axes.row_count) * static_cast<double>(axes.column_count);
  const double each = static_cast<double>(part_of(axes, setting.splits)) / threads;
  Work work;
  work.bytes = min_bytes(group);
  work.lane_operations = pointwise_operations(group) + 24.0 * elements;
  work.blocks = axes.row_count * setting.splits;
  work.threads_per_block = threads;
  work.blocks_per_multiprocessor =
      static_cast<int>(std::clamp<int64_t>(kSharedBytes / bytes_of(axes, setting.splits), 1, kMostThreads / threads));
  const double beside = std::min(1.0, threads * work.blocks_per_multiprocessor / kEnoughThreads);
  const bool is_in_pieces = axes.columns.size() > 1 && axes.columns.front() + 1 != axes.columns[1];
  work.bandwidth_share = kBest * each / (each + kElementsBesides) * (kAlone + (1 - kAlone) * beside) *
                         (axes.column_count % 4 == 0 ? 1.0 : kOneByOne) * (is_in_pieces ? kInPieces : 1.0);
  work.serial_us = kLatency + kLatencyOfBlock * static_cast<double>(setting.splits);
  return work;
}

void add_cluster_row_shape(StepBuilder& step, const Expr& rows, const Expr& columns, const Setting& setting,
                           const LoweredFunctor& load, const LoweredFunctor& store) {
  const Expr loads = prove_vectorised(step, columns, {{&load, "load"}}, "_load");
  const Expr stores = prove_vectorised(step, columns, {{&store, "store"}}, "_store");
  const Expr blocks = step.extent("blocks", setting.splits, "of a cluster");
  step.launch("const stitch::ClusterRowShape shape{{{}, {}, {}, {}, {}}};", rows, columns, loads, stores, blocks);
}

}  // namespace stitch::kernels
