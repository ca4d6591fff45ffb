// SPDX-License-Identifier: Apache-2.0
// The softmax of a row whose scores come tile by tile: what has been summed so far is rescaled whenever a larger score
// appears.
#pragma once

#include "kernels/common.cuh"

namespace stitch {

// What a part of a row comes to: its largest score and the sum of its weights, relative to that.
struct SoftmaxPart {
  float largest;
  float sum;
};

// What the mixtures of two parts are multiplied with before they are added.
struct SoftmaxFactors {
  float own;
  float other;
};

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

  // Takes another part of the same row.
  __device__ __forceinline__ SoftmaxFactors join(const SoftmaxPart& other) {
    const float own = raise(other.largest);
    const float factor = other.largest == -INFINITY ? 0.0f : expf(other.largest - largest_);
    add(other.sum * factor);
    return {own, factor};
  }

  __device__ __forceinline__ SoftmaxPart part() const { return {largest_, sum_}; }

  // What the weighted sum of values is multiplied with; `barred` for a query that may attend to nothing.
  __device__ __forceinline__ float scale(float barred = 0.0f) const {
    return largest_ == -INFINITY ? barred : 1.0f / sum_;
  }

 private:
  float largest_ = -INFINITY;
  float sum_ = 0.0f;
};

}  // namespace stitch
