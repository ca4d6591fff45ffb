// SPDX-License-Identifier: Apache-2.0
// The softmax of a row whose scores come tile by tile: what has been summed so far is rescaled whenever a larger score
// appears.
#pragma once

#include "kernels/common.cuh"

namespace stitch {

class OnlineSoftmax {
 public:
  // Takes the largest score of the next tile; returns the factor for everything summed so far.
  __device__ __forceinline__ float raise(float tile_largest) {
    const float largest = maximum(largest_, tile_largest);
    const float factor = largest_ == -INFINITY ? 0.0f : expf(largest_ - largest);
    largest_ = largest;
    sum_ *= factor;
    return factor;
  }

  // Valid after raise() with a maximum over these scores. -inf, a barred key, weighs nothing.
  __device__ __forceinline__ float weight(float score) const {
    return score == -INFINITY ? 0.0f : expf(score - largest_);
  }

  __device__ __forceinline__ void add(float tile_sum) { sum_ += tile_sum; }

  // What the weighted sum of values is multiplied with; 0 for a query that may attend to nothing.
  __device__ __forceinline__ float scale() const { return largest_ == -INFINITY ? 0.0f : 1.0f / sum_; }

 private:
  float largest_ = -INFINITY;
  float sum_ = 0.0f;
};

}  // namespace stitch
