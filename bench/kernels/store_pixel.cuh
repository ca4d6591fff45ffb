// SPDX-License-Identifier: Apache-2.0
// A convolution's epilogue that stores its sums, for what measures convolutions.
#pragma once

#include "kernels/common.cuh"

namespace stitch_bench {

// Pixels by their number in the plane.
struct StorePixel {
  float* y;
  int64_t channels;
  int64_t pixels;

  template <int kLanes>
  __device__ void lanes(int64_t n, int64_t channel, int64_t pixel, const stitch::Lanes<float, kLanes>& values) const {
    stitch::store_float_lanes(y + (n * channels + channel) * pixels + pixel, values);
  }
  __device__ void operator()(int64_t n, int64_t channel, int64_t pixel, float value) const {
    lanes<1>(n, channel, pixel, {value});
  }
};

}  // namespace stitch_bench
