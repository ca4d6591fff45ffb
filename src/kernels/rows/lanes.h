// SPDX-License-Identifier: Apache-2.0
// Settings "lanes_16x4" of short rows: so many lanes of a warp share one, so many elements each.
#pragma once

#include <vector>

#include "kernels/rows/row_functors.h"

namespace stitch::kernels {

struct RowLanes {
  int of_row;      // threads
  int per_thread;  // elements
  int64_t capacity() const { return int64_t{of_row} * per_thread; }
};

constexpr int kLaneBlockThreads = 128;  // of the skeletons

// Those whose lanes have most to do with rows of so many elements.
std::vector<Setting> lane_settings(int64_t columns);
bool allows_lanes(const Setting& setting, int64_t columns);
bool is_lanes(const Setting& setting);
const RowLanes& lanes_of(const Setting& setting);
// Settings for rows that are as short as to leave a warp or a block of their own idle, none for others; and what
// reading, reducing and writing them costs.
std::vector<Setting> short_row_settings(int64_t columns);
Work short_row_work(const Group& group, const RowAxes& axes, const Setting& setting);
// Of the bandwidth, by how many lanes have elements.
double lanes_bandwidth_share(const RowLanes& lanes, int64_t columns);

}  // namespace stitch::kernels
