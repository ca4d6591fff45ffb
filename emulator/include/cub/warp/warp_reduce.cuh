// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cub/operators.cuh>

namespace cub {

// The first lane of each logical warp of `Width` lanes gets the result.
template <class T, int Width = 32>
class WarpReduce {
 public:
  struct TempStorage {
    char unused;
  };

  explicit WarpReduce(TempStorage&) {}

  template <class Operation>
  T Reduce(T value, Operation operation, int valid, STITCH_PLACE) {
    return detail::reduce_lanes(value, operation, detail::warp_lanes(), Width, static_cast<unsigned int>(valid),
                                STITCH_PLACE_ARGUMENTS);
  }
  template <class Operation>
  T Reduce(T value, Operation operation, STITCH_PLACE) {
    return Reduce(value, operation, Width, STITCH_PLACE_ARGUMENTS);
  }
  T Sum(T value, STITCH_PLACE) { return Reduce(value, cub::Sum(), Width, STITCH_PLACE_ARGUMENTS); }
  T Sum(T value, int valid, STITCH_PLACE) { return Reduce(value, cub::Sum(), valid, STITCH_PLACE_ARGUMENTS); }
};

}  // namespace cub
