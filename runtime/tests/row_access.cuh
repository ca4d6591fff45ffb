// SPDX-License-Identifier: Apache-2.0
// Reads and writes rows of test data, contiguous, an element or kLanes neighbours at a time.
#pragma once

#include "kernels/common/convert.cuh"
#include "support.h"

namespace stitch_test {

struct RowLanesLoad {
  const float* x;
  int64_t columns;

  __device__ float operator()(int64_t row, int64_t column) const { return x[row * columns + column]; }
  template <int kLanes>
  __device__ stitch::Lanes<float, kLanes> lanes(int64_t row, int64_t column) const {
    return stitch::load_float_lanes<kLanes>(x + row * columns + column);
  }
};

struct RowLanesStore {
  float* y;
  int64_t columns;

  __device__ void operator()(int64_t row, int64_t column, float value) const { y[row * columns + column] = value; }
  template <int kLanes>
  __device__ void lanes(int64_t row, int64_t column, const stitch::Lanes<float, kLanes>& values) const {
    stitch::store_float_lanes(y + row * columns + column, values);
  }
};

}  // namespace stitch_test
