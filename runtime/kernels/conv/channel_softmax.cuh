// SPDX-License-Identifier: Apache-2.0
// A softmax over channels that lie within a warp: of what four neighbouring lanes have, or of one in each lane.
#pragma once

#include "kernels/common/math.cuh"
#include "kernels/common/warp.cuh"
#include "ptx/extremes.cuh"

namespace stitch {

struct NoSoftmax {
  static constexpr bool is_there = false;
};

struct SoftmaxOfChannels {
  static constexpr bool is_there = true;

  // Four lanes have eight channels of each tile, a lane two of them, the first at `first`; from `channels` on none is.
  template <int kTiles>
  static __device__ __forceinline__ void of_four_lanes(int first, int channels, float (&values)[kTiles][2]) {
    float largest = -INFINITY;
#pragma unroll
    for (int i = 0; i < 2 * kTiles; ++i) {
      const bool is_channel = first + i / 2 * 8 + i % 2 < channels;
      values[i / 2][i % 2] = is_channel ? values[i / 2][i % 2] : -INFINITY;
      largest = ptx::largest(largest, values[i / 2][i % 2]);
    }
    largest = ptx::largest(largest, __shfl_xor_sync(kFullWarp, largest, 1));
    largest = ptx::largest(largest, __shfl_xor_sync(kFullWarp, largest, 2));
    float sum = 0;
#pragma unroll
    for (int i = 0; i < 2 * kTiles; ++i) {
      values[i / 2][i % 2] = expf(values[i / 2][i % 2] - largest);
      sum += values[i / 2][i % 2];
    }
    sum += __shfl_xor_sync(kFullWarp, sum, 1);
    sum += __shfl_xor_sync(kFullWarp, sum, 2);
    const float scale = quotient_of_normal(1.0f, sum);  // one of the exponentials is 1
#pragma unroll
    for (int i = 0; i < 2 * kTiles; ++i) {
      values[i / 2][i % 2] *= scale;
    }
  }

  static __device__ __forceinline__ float of_lanes(float value, bool is_channel) {
    const float own = is_channel ? value : -INFINITY;
    float largest = own;
#pragma unroll
    for (int distance = 1; distance < kWarpThreads; distance *= 2) {
      largest = ptx::largest(largest, __shfl_xor_sync(kFullWarp, largest, distance));
    }
    const float exponential = expf(own - largest);
    float sum = exponential;
#pragma unroll
    for (int distance = 1; distance < kWarpThreads; distance *= 2) {
      sum += __shfl_xor_sync(kFullWarp, sum, distance);
    }
    return exponential / sum;
  }
};

}  // namespace stitch
