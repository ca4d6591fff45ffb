// SPDX-License-Identifier: Apache-2.0
// What reductions take whose threads walk down columns (runtime/kernels/reduce/column.cuh, position_columns.cuh).
#pragma once

#include "kernels/rows/row_sharing.h"

namespace stitch::kernels {

constexpr int kMultiprocessors = 132;  // of the device that these shares were measured on

// Microseconds that a thread waits for one batch of its loads, and for one sharer's part.
struct MergeTime {
  double read_us;
  double merge_us;
};
constexpr MergeTime kMergeOfSums{0.2, 0.05};
constexpr MergeTime kMergeOfPairs{0.49, 0.3};  // an accumulator of several numbers

// Elements a thread takes: with fewer than a handful the merge at the end dominates.
double elements_each(const RowAxes& axes, int threads, int64_t splits);

struct ColumnLanes {
  int count = 1;        // rows of a thread
  double share = 0.84;  // of the bandwidth, with as many elements in flight as there may be
};

// Four rows a thread: neighbours where as many stand side by side in memory, and where there are many rows that no
// other blocks share.
ColumnLanes column_lanes(const Group& group, const RowAxes& axes, int64_t splits);
// Of a kernel that never reads neighbours at once.
ColumnLanes lanes_apart(const RowAxes& axes, int64_t splits);

// All but what it reads and the arithmetic, which are the caller's. `splits` blocks share a row.
Work columns_work(const RowAxes& axes, const ColumnLanes& lanes, int sharers, int64_t splits, MergeTime time);

}  // namespace stitch::kernels
