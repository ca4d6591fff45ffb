// SPDX-License-Identifier: Apache-2.0
// How a reduction over channels joins what the lanes of a warp have of them. A state is what is known of some channels;
// `of` begins one, with nothing where the channel is not there.
#pragma once

#include "kernels/common/warp.cuh"
#include "ptx/exponential.cuh"
#include "ptx/extremes.cuh"

namespace stitch {

// What joins of one number have in common.
struct NumberOfChannels {
  using State = float;
  static __device__ __forceinline__ float of_lane(float state, int distance) {
    return __shfl_xor_sync(kFullWarp, state, distance);
  }
  static __device__ __forceinline__ float finish(float state, float) { return state; }
};

struct LargestOfChannels : NumberOfChannels {
  static __device__ __forceinline__ float identity() { return -INFINITY; }
  static __device__ __forceinline__ float of(float value, bool is_there) { return is_there ? value : identity(); }
  static __device__ __forceinline__ float join(float a, float b) { return ptx::largest(a, b); }
};

struct SmallestOfChannels : NumberOfChannels {
  static __device__ __forceinline__ float identity() { return INFINITY; }
  static __device__ __forceinline__ float of(float value, bool is_there) { return is_there ? value : identity(); }
  static __device__ __forceinline__ float join(float a, float b) { return ptx::smallest(a, b); }
};

// Or their sum, by a divisor of one.
struct MeanOfChannels : NumberOfChannels {
  static __device__ __forceinline__ float identity() { return 0.0f; }
  static __device__ __forceinline__ float of(float value, bool is_there) { return is_there ? value : identity(); }
  static __device__ __forceinline__ float join(float a, float b) { return a + b; }
  static __device__ __forceinline__ float finish(float state, float divisor) { return state / divisor; }
};

// The exponential of what is no far power of e: by a product and one instruction.
__device__ __forceinline__ float near_exponential(float value) {
  constexpr float kLogTwoOfE = 1.4426950408889634f;
  return ptx::exp2(value * kLogTwoOfE);
}

// Of values whose exponentials add up without overflow, and to a number far from the smallest: then the largest of
// them, on which the result depends, has lost no bits.
struct LogSumExpOfNear : MeanOfChannels {
  static __device__ __forceinline__ float of(float value, bool is_there) {
    return is_there ? near_exponential(value) : 0.0f;
  }
  static __device__ __forceinline__ bool holds(float state) { return state >= 0x1p-90f && state <= 0x1p90f; }
  static __device__ __forceinline__ float finish(float state, float) { return logf(state); }
};

struct LogSumExpOfChannels {
  struct State {
    float largest;
    float sum;  // of exponentials, relative to the largest's
  };
  // Joins the same where it holds all that it has joined.
  using Near = LogSumExpOfNear;

  static __device__ __forceinline__ State identity() { return {-INFINITY, 0.0f}; }
  static __device__ __forceinline__ State of(float value, bool is_there) {
    return is_there ? State{value, 1.0f} : identity();
  }
  // One exponential: the largest's own is one. Of two that are equal, infinities too, so is the other's.
  static __device__ __forceinline__ State join(const State& a, const State& b) {
    const float exponential = a.largest == b.largest ? 1.0f : near_exponential(-fabsf(a.largest - b.largest));
    const bool is_first = a.largest >= b.largest;
    return {ptx::largest(a.largest, b.largest),
            is_first ? fmaf(b.sum, exponential, a.sum) : fmaf(a.sum, exponential, b.sum)};
  }
  static __device__ __forceinline__ State of_lane(const State& state, int distance) {
    return {__shfl_xor_sync(kFullWarp, state.largest, distance), __shfl_xor_sync(kFullWarp, state.sum, distance)};
  }
  static __device__ __forceinline__ float finish(const State& state, float) { return state.largest + logf(state.sum); }
};

}  // namespace stitch
