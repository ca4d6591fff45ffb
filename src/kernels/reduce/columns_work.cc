// SPDX-License-Identifier: Apache-2.0
#include "kernels/reduce/columns_work.h"

#include <algorithm>
#include <vector>

namespace stitch::kernels {

double elements_each(const RowAxes& axes, int threads, int64_t splits) {
  return static_cast<double>(axes.column_count) / static_cast<double>(threads * splits);
}

ColumnLanes column_lanes(const Group& group, const RowAxes& axes, int64_t splits) {
  constexpr int kLanes = 4;
  const std::vector<int64_t>& shape = group.graph->type(ir::tensor_operand(group.root_node(), 0)).shape;
  int64_t neighbours = 1;
  for (size_t axis = static_cast<size_t>(axes.columns.back()) + 1; axis < shape.size(); ++axis) {
    neighbours *= shape[axis];
  }
  if (neighbours % kLanes == 0) {
    return {kLanes, 0.97};
  }
  return lanes_apart(axes, splits);
}

ColumnLanes lanes_apart(const RowAxes& axes, int64_t splits) {
  constexpr int64_t kMinRowsApart = 65536;  // kMinKeptApart of the skeleton
  return axes.row_count >= kMinRowsApart && splits == 1 ? ColumnLanes{4, 0.92} : ColumnLanes{};
}

namespace {

// What one block takes, however few there are: it waits for its own loads, one after another, and for its merges. As
// bytes that the device could read meanwhile.
double waiting_bytes(double reads_of_thread, int sharers, int64_t splits, MergeTime time) {
  constexpr double kBytesPerMicrosecond = 4.8e6;
  constexpr double kSecondStage = 1.5;  // microseconds, until its blocks have the partial results
  constexpr int kJoiners = 8;
  const double second =
      splits > 1 ? kSecondStage + time.merge_us * (kJoiners + static_cast<double>(splits) / kJoiners) : 0.0;
  return kBytesPerMicrosecond * (time.read_us * reads_of_thread + time.merge_us * sharers + second);
}

}  // namespace

Work columns_work(const RowAxes& axes, const ColumnLanes& lanes, int sharers, int64_t splits, MergeTime time) {
  constexpr int kWarp = 32;
  constexpr int kBlock = 256;
  constexpr int kResidentThreads = 1280;
  constexpr double kInFlight = 16;   // elements of a thread
  constexpr double kMergeWaits = 4;  // elements read in the time that sharers wait for each other
  constexpr double kPartial = 2 * sizeof(float);
  constexpr double kLastWave = 0.3;     // of a block's time, for which only some multiprocessors have any left
  constexpr int kThreadsOfWhole = 683;  // of a multiprocessor, which ask for all that it can read: waiting is apart
  const int wide = sharers < kBlock / kWarp ? kBlock / sharers : kWarp;
  const double each = elements_each(axes, sharers, splits);
  Work work;
  const int64_t rows_per_block = int64_t{wide} * lanes.count;
  work.blocks = (axes.row_count + rows_per_block - 1) / rows_per_block * splits;
  work.threads_per_block = sharers * wide;
  work.blocks_per_multiprocessor = std::max(1, kResidentThreads / (sharers * wide));
  work.bandwidth_share = lanes.share * std::min(1.0, 0.4 + 0.6 * each * lanes.count / kInFlight) *
                         (sharers > 1 ? each / (each + kMergeWaits) : 1.0);
  const double waves = static_cast<double>(work.blocks) / (kMultiprocessors * work.blocks_per_multiprocessor);
  work.bandwidth_share *= waves > 1 ? waves / (waves + kLastWave) : 1.0;
  work.serial_bytes = waiting_bytes(std::max(1.0, each * lanes.count / kInFlight), sharers, splits, time);
  work.threads_per_block = std::max(work.threads_per_block, kThreadsOfWhole);
  if (splits > 1) {
    work.extra_bytes = kPartial * static_cast<double>(axes.row_count * splits);
  }
  return work;
}

}  // namespace stitch::kernels
