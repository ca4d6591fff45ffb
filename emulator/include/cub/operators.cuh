// SPDX-License-Identifier: Apache-2.0
// What cub's collectives share: operators, and moving a value of any size between lanes.
#pragma once

#include <cooperative_groups.h>

namespace cub {

struct Sum {
  template <class T>
  T operator()(const T& a, const T& b) const {
    return a + b;
  }
};
struct Max {
  template <class T>
  T operator()(const T& a, const T& b) const {
    return a < b ? b : a;
  }
};
struct Min {
  template <class T>
  T operator()(const T& a, const T& b) const {
    return b < a ? b : a;
  }
};

namespace detail {

// The lanes of this block's warp, which may be a short one.
inline unsigned int warp_lanes() {
  const unsigned int block = blockDim.x * blockDim.y * blockDim.z;
  const unsigned int first = stitch_thread_in_block / 32 * 32;
  const unsigned int count = block - first < 32 ? block - first : 32;
  return count == 32 ? 0xffffffffu : (1u << count) - 1;
}

// A tree over `width` lanes of a segment; `valid` of them hold values. The result is in the segment's first lane.
template <class T, class Operation>
inline T reduce_lanes(T value, Operation operation, unsigned int mask, unsigned int width, unsigned int valid,
                      const char* file, int line) {
  const unsigned int rank = stitch_lane() % width;
  for (unsigned int step = 1; step < width; step *= 2) {
    const unsigned int source = rank + step < width ? stitch_lane() + step : stitch_lane();
    const T other = cooperative_groups::details::shuffle(mask, value, source, "a cub reduction", file, line);
    if (rank % (2 * step) == 0 && rank + step < valid) {
      value = operation(value, other);
    }
  }
  return value;
}

template <class T, class Operation>
inline T scan_lanes(T value, Operation operation, unsigned int mask, unsigned int width, const char* file, int line) {
  const unsigned int rank = stitch_lane() % width;
  for (unsigned int step = 1; step < width; step *= 2) {
    const unsigned int source = rank >= step ? stitch_lane() - step : stitch_lane();
    const T other = cooperative_groups::details::shuffle(mask, value, source, "a cub scan", file, line);
    value = rank >= step ? operation(other, value) : value;
  }
  return value;
}

template <class T>
inline T previous_lane(T value, unsigned int mask, unsigned int width, const char* file, int line) {
  const unsigned int source = stitch_lane() % width == 0 ? stitch_lane() : stitch_lane() - 1;
  return cooperative_groups::details::shuffle(mask, value, source, "a cub scan", file, line);
}

}  // namespace detail
}  // namespace cub
