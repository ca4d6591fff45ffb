// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cub/operators.cuh>

namespace cub {

enum BlockScanAlgorithm { BLOCK_SCAN_RAKING, BLOCK_SCAN_RAKING_MEMOIZE, BLOCK_SCAN_WARP_SCANS };

template <class T, int BlockX, BlockScanAlgorithm Algorithm = BLOCK_SCAN_RAKING, int BlockY = 1, int BlockZ = 1>
class BlockScan {
  static constexpr int kWarps = (BlockX * BlockY * BlockZ + 31) / 32;

 public:
  struct TempStorage {
    alignas(T) char warps[kWarps * sizeof(T)];
  };

  explicit BlockScan(TempStorage& storage) : warps_(reinterpret_cast<T*>(storage.warps)) {}

  template <class Operation>
  void InclusiveScan(T input, T& output, Operation operation, T& aggregate, STITCH_PLACE) {
    const int warp = static_cast<int>(stitch_thread_in_block) / 32;
    T value = scan_warp(input, operation, STITCH_PLACE_ARGUMENTS);
    aggregate = warps_[0];
    for (int before = 0; before < warp; ++before) {
      aggregate = before == 0 ? aggregate : operation(aggregate, warps_[before]);
    }
    output = warp == 0 ? value : operation(aggregate, value);
    for (int rest = warp == 0 ? 1 : warp; rest < kWarps; ++rest) {
      aggregate = operation(aggregate, warps_[rest]);
    }
  }
  template <class Operation>
  void InclusiveScan(T input, T& output, Operation operation, STITCH_PLACE) {
    T aggregate;
    InclusiveScan(input, output, operation, aggregate, STITCH_PLACE_ARGUMENTS);
  }
  void InclusiveSum(T input, T& output, STITCH_PLACE) { InclusiveScan(input, output, Sum(), STITCH_PLACE_ARGUMENTS); }
  void InclusiveSum(T input, T& output, T& aggregate, STITCH_PLACE) {
    InclusiveScan(input, output, Sum(), aggregate, STITCH_PLACE_ARGUMENTS);
  }

  template <class Operation>
  void ExclusiveScan(T input, T& output, T initial, Operation operation, T& aggregate, STITCH_PLACE) {
    const int warp = static_cast<int>(stitch_thread_in_block) / 32;
    const T value = scan_warp(input, operation, STITCH_PLACE_ARGUMENTS);
    const T before = detail::previous_lane(value, detail::warp_lanes(), 32, STITCH_PLACE_ARGUMENTS);
    T result = initial;
    for (int earlier = 0; earlier < warp; ++earlier) {
      result = operation(result, warps_[earlier]);
    }
    aggregate = warps_[0];
    for (int each = 1; each < kWarps; ++each) {
      aggregate = operation(aggregate, warps_[each]);
    }
    output = stitch_lane() == 0 ? result : operation(result, before);
  }
  template <class Operation>
  void ExclusiveScan(T input, T& output, T initial, Operation operation, STITCH_PLACE) {
    T aggregate;
    ExclusiveScan(input, output, initial, operation, aggregate, STITCH_PLACE_ARGUMENTS);
  }
  void ExclusiveSum(T input, T& output, STITCH_PLACE) {
    ExclusiveScan(input, output, T{}, Sum(), STITCH_PLACE_ARGUMENTS);
  }
  void ExclusiveSum(T input, T& output, T& aggregate, STITCH_PLACE) {
    ExclusiveScan(input, output, T{}, Sum(), aggregate, STITCH_PLACE_ARGUMENTS);
  }

 private:
  // The inclusive scan inside the warp; afterwards every warp's total is in warps_.
  template <class Operation>
  T scan_warp(T input, Operation operation, const char* file, int line) {
    const unsigned int lanes = detail::warp_lanes();
    const T value = detail::scan_lanes(input, operation, lanes, 32, file, line);
    if (lanes >> stitch_lane() == 1u) {
      warps_[stitch_thread_in_block / 32] = value;
    }
    stitch_barrier(file, line);
    return value;
  }

  T* warps_;
};

}  // namespace cub
