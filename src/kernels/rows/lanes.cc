// SPDX-License-Identifier: Apache-2.0
#include "kernels/rows/lanes.h"

#include <array>

#include "kernels/template/named_setting.h"

namespace stitch::kernels {
namespace {

constexpr std::array kLaneSettings = {
    NamedSetting<RowLanes>{"lanes_8x4", {8, 4}},     NamedSetting<RowLanes>{"lanes_16x4", {16, 4}},
    NamedSetting<RowLanes>{"lanes_32x4", {32, 4}},   NamedSetting<RowLanes>{"lanes_32x8", {32, 8}},
    NamedSetting<RowLanes>{"lanes_32x16", {32, 16}}, NamedSetting<RowLanes>{"lanes_32x32", {32, 32}},
};

}  // namespace

std::vector<Setting> lane_settings(int64_t columns) {
  const int64_t least = kLaneSettings.front().meaning.capacity();
  return settings_where(kLaneSettings, [&](const RowLanes& lanes) {
    return columns <= lanes.capacity() && (2 * columns > lanes.capacity() || lanes.capacity() == least);
  });
}

bool is_lanes(const Setting& setting) { return setting.splits == 1 && is_named(kLaneSettings, setting.variant); }

bool allows_lanes(const Setting& setting, int64_t columns) {
  return is_lanes(setting) && columns <= lanes_of(setting).capacity();
}

const RowLanes& lanes_of(const Setting& setting) { return meaning_of(kLaneSettings, setting); }

// Measured with 64 elements a row, pooled by 2 x 2 x 2: 3.0 TB/s of an H100, where a copy reaches 3.1.
double lanes_bandwidth_share(const RowLanes& lanes, int64_t columns) {
  constexpr double kBest = 0.88;
  return kBest * (0.5 + 0.5 * static_cast<double>(columns) / static_cast<double>(lanes.capacity()));
}

std::vector<Setting> short_row_settings(int64_t columns) {
  constexpr int64_t kLongest = 128;
  return columns <= kLongest ? lane_settings(columns) : std::vector<Setting>{};
}

Work short_row_work(const Group& group, const RowAxes& axes, const Setting& setting) {
  constexpr double kOfElement = 20;  // two passes, and the merges of a row among its lanes
  constexpr int64_t kRowsAtOnce = 4;
  const RowLanes& lanes = lanes_of(setting);
  const int64_t rows_per_block = kLaneBlockThreads / lanes.of_row * kRowsAtOnce;
  Work work;
  work.bytes = min_bytes(group);
  work.lane_operations = pointwise_operations(group) +
                         kOfElement * static_cast<double>(axes.row_count) * static_cast<double>(axes.column_count);
  work.bandwidth_share = lanes_bandwidth_share(lanes, axes.column_count);
  work.blocks = (axes.row_count + rows_per_block - 1) / rows_per_block;
  work.threads_per_block = kLaneBlockThreads;
  work.blocks_per_multiprocessor = 8;
  return work;
}

}  // namespace stitch::kernels
