// SPDX-License-Identifier: Apache-2.0
// Reads and writes planes of one to three axes, contiguous, as pooling and resampling do.
#pragma once

#include "kernels/pool/places.cuh"

namespace stitch_test {

struct PlaneLoad {
  const float* x;
  stitch::PoolShape shape;
  __device__ float operator()(int64_t plane, int64_t z, int64_t y, int64_t column) const {
    return x[((plane * shape.depth + z) * shape.height + y) * shape.width + column];
  }
  __device__ float operator()(int64_t plane, int64_t y, int64_t column) const { return (*this)(plane, 0, y, column); }
  __device__ float operator()(int64_t plane, int64_t column) const { return (*this)(plane, 0, 0, column); }
};

// The same, several columns at a time.
struct PlaneLanesLoad : PlaneLoad {
  template <int kLanes>
  __device__ stitch::Lanes<float, kLanes> lanes(int64_t plane, int64_t z, int64_t y, int64_t column) const {
    return stitch::load_lanes<kLanes>(x + ((plane * shape.depth + z) * shape.height + y) * shape.width + column);
  }
  template <int kLanes>
  __device__ stitch::Lanes<float, kLanes> lanes(int64_t plane, int64_t y, int64_t column) const {
    return lanes<kLanes>(plane, 0, y, column);
  }
};

// The value, or where an index comes with it the index.
struct PlaneStore {
  float* out;
  stitch::PoolShape shape;
  __device__ void operator()(int64_t plane, int64_t z, int64_t y, int64_t x, float value) const {
    out[((plane * shape.out_depth + z) * shape.out_height + y) * shape.out_width + x] = value;
  }
  __device__ void operator()(int64_t plane, int64_t y, int64_t x, float value) const { (*this)(plane, 0, y, x, value); }
  __device__ void operator()(int64_t plane, int64_t x, float value) const { (*this)(plane, 0, 0, x, value); }
  __device__ void operator()(int64_t plane, int64_t z, int64_t y, int64_t x, float, int64_t index) const {
    (*this)(plane, z, y, x, static_cast<float>(index));
  }
  __device__ void operator()(int64_t plane, int64_t y, int64_t x, float, int64_t index) const {
    (*this)(plane, 0, y, x, static_cast<float>(index));
  }
};

}  // namespace stitch_test
