// SPDX-License-Identifier: Apache-2.0
// What a reduction accumulates. Each is a struct of 32-bit words with
//   static identity()                       the empty reduction
//   add(const float (&values)[kCount])      takes several values at once (independent loads, one division for all)
//   merge(const Accumulator&)               joins two reductions
// Mean is SumAccumulator divided in the storer.
#pragma once

#include "kernels/common.cuh"

namespace stitch {

struct SumAccumulator {
  float sum;

  static __device__ __forceinline__ SumAccumulator identity() { return {0.0f}; }

  template <int kCount>
  __device__ __forceinline__ void add(const float (&values)[kCount]) {
#pragma unroll
    for (float value : values) {
      sum += value;
    }
  }

  __device__ __forceinline__ void merge(const SumAccumulator& other) { sum += other.sum; }
};

// NaN wins, as in torch.amax.
struct MaxAccumulator {
  float value;

  static __device__ __forceinline__ MaxAccumulator identity() { return {-INFINITY}; }

  template <int kCount>
  __device__ __forceinline__ void add(const float (&values)[kCount]) {
#pragma unroll
    for (float candidate : values) {
      value = maximum(candidate, value);
    }
  }

  __device__ __forceinline__ void merge(const MaxAccumulator& other) { value = maximum(value, other.value); }
};

struct MinAccumulator {
  float value;

  static __device__ __forceinline__ MinAccumulator identity() { return {INFINITY}; }

  template <int kCount>
  __device__ __forceinline__ void add(const float (&values)[kCount]) {
#pragma unroll
    for (float candidate : values) {
      value = minimum(candidate, value);
    }
  }

  __device__ __forceinline__ void merge(const MinAccumulator& other) { value = minimum(value, other.value); }
};

struct ProductAccumulator {
  float product;

  static __device__ __forceinline__ ProductAccumulator identity() { return {1.0f}; }

  template <int kCount>
  __device__ __forceinline__ void add(const float (&values)[kCount]) {
#pragma unroll
    for (float value : values) {
      product *= value;
    }
  }

  __device__ __forceinline__ void merge(const ProductAccumulator& other) { product *= other.product; }
};

// Mean and sum of squared deviations, merged by Chan's rule: no cancellation however large the mean is.
struct WelfordAccumulator {
  float mean;
  float squared_deviations;
  float count;

  static __device__ __forceinline__ WelfordAccumulator identity() { return {0.0f, 0.0f, 0.0f}; }

  template <int kCount>
  __device__ __forceinline__ void add(const float (&values)[kCount]) {
    float sum = 0.0f;
#pragma unroll
    for (float value : values) {
      sum += value;
    }
    WelfordAccumulator group{sum * (1.0f / kCount), 0.0f, static_cast<float>(kCount)};
#pragma unroll
    for (float value : values) {
      group.squared_deviations += square(value - group.mean);
    }
    merge(group);
  }

  __device__ __forceinline__ void merge(const WelfordAccumulator& other) {
    const float total = count + other.count;
    if (total == 0.0f) {
      return;
    }
    const float difference = other.mean - mean;
    const float weight = other.count / total;
    mean += difference * weight;
    squared_deviations += other.squared_deviations + difference * difference * count * weight;
    count = total;
  }

  // correction 0: the biased variance that normalisation uses; 1: torch.var's default.
  __device__ __forceinline__ float variance(float correction) const {
    return squared_deviations / (count - correction);
  }
};

// log(sum(exp(values))) without overflow: the sum is kept relative to the largest value so far.
struct LogSumExpAccumulator {
  float largest;
  float sum;

  static __device__ __forceinline__ LogSumExpAccumulator identity() { return {-INFINITY, 0.0f}; }

  template <int kCount>
  __device__ __forceinline__ void add(const float (&values)[kCount]) {
    float group_largest = values[0];
#pragma unroll
    for (float value : values) {
      group_largest = maximum(value, group_largest);
    }
    LogSumExpAccumulator group{group_largest, 0.0f};
#pragma unroll
    for (float value : values) {
      group.sum += relative_exponential(value, group_largest);
    }
    merge(group);
  }

  __device__ __forceinline__ void merge(const LogSumExpAccumulator& other) {
    const float joined = maximum(largest, other.largest);
    sum = sum * relative_exponential(largest, joined) + other.sum * relative_exponential(other.largest, joined);
    largest = joined;
  }

  __device__ __forceinline__ float value() const { return largest + logf(sum); }

 private:
  // exp(value - largest) where both may be infinite: an empty part adds nothing, and +inf counts as the largest.
  static __device__ __forceinline__ float relative_exponential(float value, float largest) {
    return value == -INFINITY ? 0.0f : value == largest ? 1.0f : expf(value - largest);
  }
};

}  // namespace stitch
