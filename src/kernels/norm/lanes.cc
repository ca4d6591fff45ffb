// SPDX-License-Identifier: Apache-2.0
#include "kernels/norm/lanes.h"

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

}  // namespace stitch::kernels
