// SPDX-License-Identifier: Apache-2.0
// What a reduction accumulates. Each is a struct of 32-bit words with
//   static identity()                       the empty reduction
//   add(const float (&values)[kCount])      takes several values at once (independent loads, one division for all)
//   merge(const Accumulator&)               joins two reductions
// Mean is SumAccumulator divided in the storer.
#pragma once

#include "kernels/common.cuh"
#include "ptx/extremes.cuh"
#include "ptx/reciprocal.cuh"

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

// NaN wins, as in torch.amax and torch.amin.
template <bool kLargest>
struct ExtremeAccumulator {
  float value;

  static __device__ __forceinline__ ExtremeAccumulator identity() { return {kLargest ? -INFINITY : INFINITY}; }

  template <int kCount>
  __device__ __forceinline__ void add(const float (&values)[kCount]) {
#pragma unroll
    for (float candidate : values) {
      value = kLargest ? ptx::largest(candidate, value) : ptx::smallest(candidate, value);
    }
  }

  __device__ __forceinline__ void merge(const ExtremeAccumulator& other) {
    value = kLargest ? ptx::largest(value, other.value) : ptx::smallest(value, other.value);
  }
};
using MaxAccumulator = ExtremeAccumulator<true>;
using MinAccumulator = ExtremeAccumulator<false>;

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

template <typename Number>
__device__ __forceinline__ Number share_of_count(Number part, Number total) {
  return part / total;
}
// Merges follow each other: a division by the special function unit takes a third of the time, and an ulp of a weight
// is an ulp of what the mean moves by: all of it where there was nothing before, so that must be exact.
__device__ __forceinline__ float share_of_count(float part, float total) {
  return part == total ? 1.0f : part * ptx::reciprocal(total);
}

// Mean and sum of squared deviations, joined by Chan's rule: no cancellation however large the mean is.
template <typename Moments>
__device__ __forceinline__ void join_moments(Moments& into, const Moments& other) {
  const auto total = into.count + other.count;
  if (total == 0) {
    return;
  }
  const auto difference = other.mean - into.mean;
  const auto weight = share_of_count(other.count, total);
  into.mean += difference * weight;
  into.squared_deviations += other.squared_deviations + difference * difference * into.count * weight;
  into.count = total;
}

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

  __device__ __forceinline__ void merge(const WelfordAccumulator& other) { join_moments(*this, other); }

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
      group_largest = ptx::largest(value, group_largest);
    }
    LogSumExpAccumulator group{group_largest, 0.0f};
#pragma unroll
    for (float value : values) {
      group.sum += relative_exponential(value, group_largest);
    }
    merge(group);
  }

  __device__ __forceinline__ void merge(const LogSumExpAccumulator& other) {
    const float joined = ptx::largest(largest, other.largest);
    sum = sum * relative_exponential(largest, joined) + other.sum * relative_exponential(other.largest, joined);
    largest = joined;
  }

  __device__ __forceinline__ float value() const { return largest + logf(sum); }

 private:
  // exp(value - largest) where both may be infinite: an empty part adds nothing, and +inf counts as the largest.
  // Computed in any case: a choice between numbers is no branch.
  static __device__ __forceinline__ float relative_exponential(float value, float largest) {
    const float exponential = expf(value - largest);
    return value == -INFINITY ? 0.0f : value == largest ? 1.0f : exponential;
  }
};

}  // namespace stitch
