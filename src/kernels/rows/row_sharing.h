// SPDX-License-Identifier: Apache-2.0
// How threads share rows in reductions, scans and sorts, as their settings name it: "..._THREADS" with the threads of a
// row, one where no number stands, and "split" where several blocks share a row.
#pragma once

#include <initializer_list>

#include "kernels/rows/row_functors.h"

namespace stitch::kernels {

int threads_of(const Setting& setting);
bool is_split(const Setting& setting);

// Adds `variant` with each number of blocks a row that leaves every block at least `least_part` columns.
void add_splits(std::vector<Setting>& settings, const RowAxes& axes, const char* variant, int64_t least_part,
                std::initializer_list<int64_t> splits);
// Whether a setting is `variant` with up to `most` blocks a row: numbers that were not tried are as good.
bool splits_as(const Setting& setting, const char* variant, int64_t most);

// The rows and columns of a reduction's operand: its attribute `dim` names the columns.
RowAxes reduced_axes(const Group& group);
// Whether neighbouring elements in memory belong to one result.
bool reduces_innermost(const Group& group, const RowAxes& axes);

}  // namespace stitch::kernels
