// SPDX-License-Identifier: Apache-2.0
// How threads share rows in reductions, scans and sorts, by the names of their settings: "..._THREADS" has the threads
// of a row (one without a number), and "split" means that several blocks share a row.
#pragma once

#include <initializer_list>

#include "kernels/rows/row_functors.h"

namespace stitch::kernels {

int threads_of(const Setting& setting);
bool is_split(const Setting& setting);

// Adds `variant` with each number of blocks per row that leaves every block at least `least_part` columns.
void add_splits(std::vector<Setting>& settings, const RowAxes& axes, const char* variant, int64_t least_part,
                std::initializer_list<int64_t> splits);
// Whether a setting is `variant` with at most `most` blocks per row, numbers that are not tried included.
bool splits_as(const Setting& setting, const char* variant, int64_t most);

// The rows and columns of a reduction's operand: its attribute `dim` names the columns.
RowAxes reduced_axes(const Group& group);
// Whether neighbouring elements in memory belong to one result.
bool reduces_innermost(const Group& group, const RowAxes& axes);

}  // namespace stitch::kernels
