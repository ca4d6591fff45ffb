// SPDX-License-Identifier: Apache-2.0
// Functors of row kernels (reduce, norm, softmax).
//
// A loader is    float operator()(int64_t row, int64_t column) const;
// and, optionally, template <int kLanes> Lanes<float, kLanes> lanes(int64_t row, int64_t column) const;
// A storer is    void operator()(int64_t row, int64_t column, float value) const;
// and, optionally, template <int kLanes> void lanes(int64_t row, int64_t column, const Lanes<float, kLanes>&) const;
// `lanes` covers columns column .. column + kLanes - 1 and is called only where the shape says `vectorised`.
// A loader may be called more than once for the same element and must not have side effects.
#pragma once

#include <stdint.h>

#include "kernels/common/lanes.cuh"

namespace stitch {

struct RowShape {
  int64_t rows;
  int64_t columns;
  // The host has proved that `lanes` may be called at every column that is a multiple of 4: columns % 4 == 0 and all
  // operands that are contiguous along the row are lanes_aligned().
  bool vectorised;
};

// Threads per block when kThreads of them share a row: short rows share a block.
template <int kThreads>
inline constexpr int kRowBlockThreads = kThreads > 128 ? kThreads : 128;

template <int kLanes, typename Load>
__device__ __forceinline__ Lanes<float, kLanes> load_row_lanes(const Load& load, int64_t row, int64_t column) {
  if constexpr (kLanes > 1 && requires { load.template lanes<kLanes>(row, column); }) {
    return load.template lanes<kLanes>(row, column);
  } else {
    Lanes<float, kLanes> lanes;
#pragma unroll
    for (int lane = 0; lane < kLanes; ++lane) {
      lanes[lane] = load(row, column + lane);
    }
    return lanes;
  }
}

template <int kLanes, typename Store>
__device__ __forceinline__ void store_row_lanes(const Store& store, int64_t row, int64_t column,
                                                const Lanes<float, kLanes>& values) {
  if constexpr (kLanes > 1 && requires { store.template lanes<kLanes>(row, column, values); }) {
    store.template lanes<kLanes>(row, column, values);
  } else {
#pragma unroll
    for (int lane = 0; lane < kLanes; ++lane) {
      store(row, column + lane, values[lane]);
    }
  }
}

}  // namespace stitch
