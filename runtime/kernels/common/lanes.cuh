// SPDX-License-Identifier: Apache-2.0
// Lanes: neighbouring elements that one thread reads or writes with a single access of up to 16 bytes.
#pragma once

#include <stdint.h>

namespace stitch {

__host__ __device__ constexpr int lanes_alignment(int bytes) {
  return bytes % 16 == 0 ? 16 : bytes % 8 == 0 ? 8 : bytes % 4 == 0 ? 4 : bytes % 2 == 0 ? 2 : 1;
}

template <typename T, int kLanes>
struct alignas(lanes_alignment(sizeof(T) * kLanes)) Lanes {
  T values[kLanes];

  __host__ __device__ T& operator[](int lane) { return values[lane]; }
  __host__ __device__ const T& operator[](int lane) const { return values[lane]; }
};

// `pointer` must be aligned to min(16, kLanes * sizeof(T)) bytes; the host proves it with lanes_aligned().
template <int kLanes, typename T>
__device__ __forceinline__ Lanes<T, kLanes> load_lanes(const T* pointer) {
  return *reinterpret_cast<const Lanes<T, kLanes>*>(pointer);
}

template <int kLanes, typename T>
__device__ __forceinline__ void store_lanes(T* pointer, const Lanes<T, kLanes>& lanes) {
  *reinterpret_cast<Lanes<T, kLanes>*>(pointer) = lanes;
}

// The same value in every lane: how an operand that is broadcast along the innermost axis enters lane arithmetic.
template <int kLanes, typename T>
__host__ __device__ __forceinline__ Lanes<T, kLanes> broadcast_lanes(T value) {
  Lanes<T, kLanes> lanes;
#pragma unroll
  for (int lane = 0; lane < kLanes; ++lane) {
    lanes[lane] = value;
  }
  return lanes;
}

// True when `base` and every stride (in elements) allow accesses of 4 lanes wherever the innermost index is a
// multiple of 4. Pass the strides of all axes but the innermost, which must be contiguous.
template <typename T, typename... Strides>
__host__ inline bool lanes_aligned(const T* base, Strides... strides) {
  const bool base_aligned = reinterpret_cast<uintptr_t>(base) % lanes_alignment(4 * sizeof(T)) == 0;
  return base_aligned && ((static_cast<int64_t>(strides) % 4 == 0) && ...);
}

}  // namespace stitch
