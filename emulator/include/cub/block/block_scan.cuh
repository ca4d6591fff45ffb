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

  // Several elements a thread, in the order of the threads.
  template <int Count, class Operation>
  void InclusiveScan(T (&input)[Count], T (&output)[Count], Operation operation, T& aggregate, STITCH_PLACE) {
    T sums[Count];
    scan_own(input, sums, operation);
    T before;
    const bool is_first = !scan_others(sums[Count - 1], before, operation, aggregate, STITCH_PLACE_ARGUMENTS);
    for (int each = 0; each < Count; ++each) {
      output[each] = is_first ? sums[each] : operation(before, sums[each]);
    }
  }
  template <int Count, class Operation>
  void InclusiveScan(T (&input)[Count], T (&output)[Count], Operation operation, STITCH_PLACE) {
    T aggregate;
    InclusiveScan(input, output, operation, aggregate, STITCH_PLACE_ARGUMENTS);
  }
  template <int Count>
  void InclusiveSum(T (&input)[Count], T (&output)[Count], STITCH_PLACE) {
    InclusiveScan(input, output, Sum(), STITCH_PLACE_ARGUMENTS);
  }
  template <int Count>
  void InclusiveSum(T (&input)[Count], T (&output)[Count], T& aggregate, STITCH_PLACE) {
    InclusiveScan(input, output, Sum(), aggregate, STITCH_PLACE_ARGUMENTS);
  }
  template <int Count, class Operation>
  void ExclusiveScan(T (&input)[Count], T (&output)[Count], T initial, Operation operation, T& aggregate,
                     STITCH_PLACE) {
    T sums[Count];
    scan_own(input, sums, operation);
    T before;
    const bool is_first = !scan_others(sums[Count - 1], before, operation, aggregate, STITCH_PLACE_ARGUMENTS);
    const T start = is_first ? initial : operation(initial, before);
    for (int each = Count - 1; each >= 0; --each) {
      output[each] = each == 0 ? start : operation(start, sums[each - 1]);
    }
  }
  template <int Count, class Operation>
  void ExclusiveScan(T (&input)[Count], T (&output)[Count], T initial, Operation operation, STITCH_PLACE) {
    T aggregate;
    ExclusiveScan(input, output, initial, operation, aggregate, STITCH_PLACE_ARGUMENTS);
  }
  template <int Count>
  void ExclusiveSum(T (&input)[Count], T (&output)[Count], STITCH_PLACE) {
    ExclusiveScan(input, output, T{}, Sum(), STITCH_PLACE_ARGUMENTS);
  }
  template <int Count>
  void ExclusiveSum(T (&input)[Count], T (&output)[Count], T& aggregate, STITCH_PLACE) {
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

  template <int Count, class Operation>
  static void scan_own(const T (&input)[Count], T (&sums)[Count], Operation operation) {
    sums[0] = input[0];
    for (int each = 1; each < Count; ++each) {
      sums[each] = operation(sums[each - 1], input[each]);
    }
  }

  // What the threads before this one hold together; false for the first, which has none before it.
  template <class Operation>
  bool scan_others(T total, T& before, Operation operation, T& aggregate, const char* file, int line) {
    const int warp = static_cast<int>(stitch_thread_in_block) / 32;
    const T value = scan_warp(total, operation, file, line);
    const T previous = detail::previous_lane(value, detail::warp_lanes(), 32, file, line);
    for (int earlier = 0; earlier < warp; ++earlier) {
      before = earlier == 0 ? warps_[0] : operation(before, warps_[earlier]);
    }
    if (stitch_lane() != 0) {
      before = warp == 0 ? previous : operation(before, previous);
    }
    aggregate = warps_[0];
    for (int each = 1; each < kWarps; ++each) {
      aggregate = operation(aggregate, warps_[each]);
    }
    return stitch_thread_in_block != 0;
  }

  T* warps_;
};

}  // namespace cub
