// SPDX-License-Identifier: Apache-2.0
// One query of attention by a warp in plain fp32, straight from global memory: for the few whose operands the tensor
// cores' parts do not hold, as infinities.
#pragma once

#include "kernels/attention/block.cuh"
#include "kernels/attention/online_softmax.cuh"

namespace stitch {

// Elements from one row to the next.
struct RowStrides {
  int64_t query;
  int64_t key;
  int64_t value;
};

namespace plain_row_detail {

struct LargestOfWarp {
  float value;
  __device__ __forceinline__ void merge(const LargestOfWarp& other) { value = maximum(value, other.value); }
};

struct SumOfWarp {
  float value;
  __device__ __forceinline__ void merge(const SumOfWarp& other) { value += other.value; }
};

}  // namespace plain_row_detail

// A lane takes every 32nd key's score, then every 32nd dimension of the mixture.
template <int kHeadDimension, bool kCausal, typename T, typename Mask, typename Store>
__device__ __forceinline__ void attend_plainly(const AttentionShape& shape, const AttentionStart<T>& place,
                                               const RowStrides& strides, const Mask& mask, const Store& store,
                                               int64_t query) {
  using namespace plain_row_detail;
  const int lane = static_cast<int>(threadIdx.x) % kWarpThreads;
  const T* const row = place.query + query * strides.query;
  OnlineSoftmax softmax;
  float mixture[kHeadDimension / kWarpThreads] = {};
#pragma unroll 1
  for (int64_t first_key = 0; first_key < place.keys; first_key += kWarpThreads) {
    const int64_t key = first_key + lane;
    float product = 0.0f;
    for (int64_t d = 0; key < place.keys && d < shape.head_dimension; ++d) {
      product = fmaf(to_float(row[d]), to_float(place.key[key * strides.key + d]), product);
    }
    const float score = masked_score<kCausal>(shape, place, mask, query, key, product);
    const float factor = softmax.raise(warp_merge<kWarpThreads>(LargestOfWarp{score}).value);
    const float weight = softmax.weight(score);
    softmax.add(warp_merge<kWarpThreads>(SumOfWarp{weight}).value);
#pragma unroll
    for (float& element : mixture) {
      element *= factor;
    }
    const int64_t left = place.keys - first_key;
    const int count = left < kWarpThreads ? static_cast<int>(left) : kWarpThreads;
#pragma unroll 1
    for (int other = 0; other < count; ++other) {
      const float other_weight = __shfl_sync(kFullWarp, weight, other);
      const T* const value = place.value + (first_key + other) * strides.value;
#pragma unroll
      for (int i = 0; i < kHeadDimension / kWarpThreads; ++i) {
        const int dimension = lane + i * kWarpThreads;
        mixture[i] =
            fmaf(other_weight, dimension < shape.value_head_dimension ? to_float(value[dimension]) : 0.0f, mixture[i]);
      }
    }
  }
  const float scale = softmax.scale(shape.barred);
#pragma unroll
  for (int i = 0; i < kHeadDimension / kWarpThreads; ++i) {
    const int dimension = lane + i * kWarpThreads;
    if (dimension < shape.value_head_dimension) {
      store(place.batch, place.head, query, dimension, mixture[i] * scale);
    }
  }
}

}  // namespace stitch
