// SPDX-License-Identifier: Apache-2.0
#include "kernels/rows/held_rows.h"

#include <algorithm>
#include <array>

#include "kernels/template/named_setting.h"

namespace stitch::kernels {
namespace {

constexpr std::array kSettings = {
    NamedSetting<RowSettingSize>{"held_256x32", {256, 32}},
    NamedSetting<RowSettingSize>{"held_512x16", {512, 16}},
    NamedSetting<RowSettingSize>{"held_256x16", {256, 16}},
};

constexpr int kResidentThreads = 1024;  // of a multiprocessor: what the skeleton is bounded to
constexpr int64_t kShort = 8192;        // a block's registers hold such a row

int64_t parts_of(const RowAxes& axes, const RowSettingSize& size) {
  const int64_t part = int64_t{size.threads} * size.per_thread;
  return (axes.column_count + part - 1) / part;
}

}  // namespace

std::vector<Setting> held_row_settings(const RowAxes& axes, const DeviceLimits& limits) {
  if (axes.column_count <= kShort) {
    return {};
  }
  return settings_where(kSettings, [&](const RowSettingSize& size) {
    return 2 * parts_of(axes, size) <= int64_t{limits.multiprocessors} * (kResidentThreads / size.threads);
  });
}

bool is_held_row(const Setting& setting) { return is_named(kSettings, setting.variant) && setting.splits == 1; }

RowSettingSize held_row_size(const Setting& setting) { return meaning_of(kSettings, setting); }

Work held_row_work(const Group& group, const RowAxes& axes, const Setting& setting) {
  constexpr double kBest = 0.48;
  constexpr double kHalfAsMuch = 0.7;       // of that, where a thread keeps 16 elements instead of 32
  constexpr double kMultiprocessors = 132;  // of the device these shares are for
  constexpr double kWaits = 0.6;            // rows read in the time that blocks wait for each other
  const RowSettingSize size = held_row_size(setting);
  const int64_t parts = parts_of(axes, size);
  const auto columns = static_cast<double>(axes.column_count);
  const double filled = columns / static_cast<double>(parts * size.threads * size.per_thread);
  const double rows_at_once = kMultiprocessors * kResidentThreads * size.per_thread / columns;
  Work work;
  work.bytes = min_bytes(group);
  work.lane_operations = pointwise_operations(group) + 24.0 * static_cast<double>(axes.row_count) * columns;
  work.bandwidth_share = kBest * (size.per_thread < 32 ? kHalfAsMuch : 1.0) * (0.5 + 0.5 * filled) * rows_at_once /
                         (rows_at_once + kWaits);
  work.blocks = axes.row_count * parts;
  work.threads_per_block = size.threads;
  work.blocks_per_multiprocessor = kResidentThreads / size.threads;
  work.launches = 2;
  return work;
}

int64_t held_row_scratch_bytes(const RowAxes& axes, const Setting& setting, int64_t accumulator_bytes) {
  constexpr int64_t kWordBytes = 4;  // of a part's state, and of a row's count
  const int64_t parts = parts_of(axes, held_row_size(setting));
  return axes.row_count * (parts * (accumulator_bytes + kWordBytes) + kWordBytes);
}

}  // namespace stitch::kernels
