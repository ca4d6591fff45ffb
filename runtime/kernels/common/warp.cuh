// SPDX-License-Identifier: Apache-2.0
// Exchange of small structs between the threads of a warp or block, and reductions over them in a fixed order, so
// that a result never depends on scheduling.
#pragma once

#include <stdint.h>

namespace stitch {

constexpr int kWarpThreads = 32;
constexpr unsigned kFullWarp = 0xffffffffu;

// T is a struct of 32-bit words.
template <typename T>
__device__ __forceinline__ T shuffle_xor(const T& value, int lane_mask) {
  static_assert(sizeof(T) % sizeof(uint32_t) == 0, "only structs of whole 32-bit words can be shuffled");
  union Words {
    __device__ Words() {}
    T value;
    uint32_t word[sizeof(T) / sizeof(uint32_t)];
  } words;
  words.value = value;
#pragma unroll
  for (uint32_t& word : words.word) {
    word = __shfl_xor_sync(kFullWarp, word, lane_mask);
  }
  return words.value;
}

// The value `distance` lanes below; a lane without one gets its own.
template <typename T>
__device__ __forceinline__ T shuffle_up(const T& value, int distance) {
  static_assert(sizeof(T) % sizeof(uint32_t) == 0, "only structs of whole 32-bit words can be shuffled");
  union Words {
    __device__ Words() {}
    T value;
    uint32_t word[sizeof(T) / sizeof(uint32_t)];
  } words;
  words.value = value;
#pragma unroll
  for (uint32_t& word : words.word) {
    word = __shfl_up_sync(kFullWarp, word, distance);
  }
  return words.value;
}

// The value of lane `source`.
template <typename T>
__device__ __forceinline__ T shuffle_from(const T& value, int source) {
  static_assert(sizeof(T) % sizeof(uint32_t) == 0, "only structs of whole 32-bit words can be shuffled");
  union Words {
    __device__ Words() {}
    T value;
    uint32_t word[sizeof(T) / sizeof(uint32_t)];
  } words;
  words.value = value;
#pragma unroll
  for (uint32_t& word : words.word) {
    word = __shfl_sync(kFullWarp, word, source);
  }
  return words.value;
}

// Merges over groups of kThreads neighbouring lanes (a power of two up to 32); every lane gets the result.
// An Accumulator has `void merge(const Accumulator&)`, symmetric up to rounding.
template <int kThreads, typename Accumulator>
__device__ __forceinline__ Accumulator warp_merge(Accumulator accumulator) {
#pragma unroll
  for (int distance = kThreads / 2; distance > 0; distance /= 2) {
    accumulator.merge(shuffle_xor(accumulator, distance));
  }
  return accumulator;
}

// Merges over a block of kThreads (a multiple of 32); every thread gets the very same result. Every thread of the block
// must call it. The trailing barrier makes `slots` free for the next call.
template <int kThreads, typename Accumulator>
__device__ __forceinline__ Accumulator block_merge(Accumulator accumulator) {
  accumulator = warp_merge<kWarpThreads>(accumulator);
  if constexpr (kThreads > kWarpThreads) {
    constexpr int kWarps = kThreads / kWarpThreads;
    __shared__ Accumulator slots[kWarps];
    if (threadIdx.x % kWarpThreads == 0) {
      slots[threadIdx.x / kWarpThreads] = accumulator;
    }
    __syncthreads();
    if constexpr ((kWarps & (kWarps - 1)) == 0 && kWarps > 2) {
      // One behind the other, 32 merges of moments took an H200 3 us.
      accumulator = shuffle_from(warp_merge<kWarps>(slots[threadIdx.x % kWarps]), 0);
    } else {
      accumulator = slots[0];
      for (int warp = 1; warp < kWarps; ++warp) {
        accumulator.merge(slots[warp]);
      }
    }
    __syncthreads();
  }
  return accumulator;
}

// Merges over the kThreads threads of a row: part of a warp, or the whole block.
template <int kThreads, typename Accumulator>
__device__ __forceinline__ Accumulator row_merge(const Accumulator& part) {
  if constexpr (kThreads <= kWarpThreads) {
    return warp_merge<kThreads>(part);
  } else {
    return block_merge<kThreads>(part);
  }
}

}  // namespace stitch
