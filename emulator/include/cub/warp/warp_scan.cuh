// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cub/operators.cuh>

namespace cub {

template <class T, int Width = 32>
class WarpScan {
 public:
  struct TempStorage {
    char unused;
  };

  explicit WarpScan(TempStorage&) {}

  template <class Operation>
  void InclusiveScan(T input, T& output, Operation operation, STITCH_PLACE) {
    output = detail::scan_lanes(input, operation, detail::warp_lanes(), Width, STITCH_PLACE_ARGUMENTS);
  }
  void InclusiveSum(T input, T& output, STITCH_PLACE) { InclusiveScan(input, output, Sum(), STITCH_PLACE_ARGUMENTS); }

  template <class Operation>
  void ExclusiveScan(T input, T& output, T initial, Operation operation, STITCH_PLACE) {
    const T value = detail::scan_lanes(input, operation, detail::warp_lanes(), Width, STITCH_PLACE_ARGUMENTS);
    const T before = detail::previous_lane(value, detail::warp_lanes(), Width, STITCH_PLACE_ARGUMENTS);
    output = stitch_lane() % Width == 0 ? initial : operation(initial, before);
  }
  void ExclusiveSum(T input, T& output, STITCH_PLACE) {
    ExclusiveScan(input, output, T{}, Sum(), STITCH_PLACE_ARGUMENTS);
  }
};

}  // namespace cub
