// SPDX-License-Identifier: Apache-2.0
// How kernels that pool what they have in registers join the elements of a window.
#pragma once

#include "kernels/common/special_math.cuh"
#include "ptx/extremes.cuh"

namespace stitch {

struct LargestOfWindow {
  static constexpr float identity = -INFINITY;
  static __device__ __forceinline__ float join(float a, float b) { return ptx::largest(a, b); }
  static __device__ __forceinline__ float finish(float joined, float) { return joined; }
};

struct SmallestOfWindow {
  static constexpr float identity = INFINITY;
  static __device__ __forceinline__ float join(float a, float b) { return ptx::smallest(a, b); }
  static __device__ __forceinline__ float finish(float joined, float) { return joined; }
};

struct MeanOfWindow {
  static constexpr float identity = 0.0f;
  static __device__ __forceinline__ float join(float a, float b) { return a + b; }
  static __device__ __forceinline__ float finish(float joined, float divisor) { return joined / divisor; }
};

}  // namespace stitch
