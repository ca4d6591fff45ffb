// SPDX-License-Identifier: Apache-2.0
// Between storage types and the float that every kernel computes in.
#pragma once

#include <stdint.h>
#include <string.h>

#include "kernels/common/lanes.cuh"
#include "ptx/store.cuh"

namespace stitch {

// 16-bit types specialise both (kernels/common/half.cuh): a specialisation is found wherever it stands, an overload
// behind this header would not be.
template <typename T>
struct ToFloat {
  static __device__ __forceinline__ float convert(T value) { return static_cast<float>(value); }
};

template <typename T>
__device__ __forceinline__ float to_float(T value) {
  return ToFloat<T>::convert(value);
}

template <typename T>
struct FromFloat {
  static __device__ __forceinline__ T convert(float value) { return static_cast<T>(value); }
};

template <>
struct FromFloat<bool> {
  static __device__ __forceinline__ bool convert(float value) { return value != 0.0f; }
};

template <typename T>
__device__ __forceinline__ T from_float(float value) {
  return FromFloat<T>::convert(value);
}

template <int kLanes, typename T>
__device__ __forceinline__ Lanes<float, kLanes> load_float_lanes(const T* pointer) {
  const Lanes<T, kLanes> stored = load_lanes<kLanes>(pointer);
  Lanes<float, kLanes> lanes;
#pragma unroll
  for (int lane = 0; lane < kLanes; ++lane) {
    lanes[lane] = to_float(stored[lane]);
  }
  return lanes;
}

// store_lanes() to global memory, in one instruction where lanes fill 8 or 16 bytes.
template <int kLanes, typename T>
__device__ __forceinline__ void store_global_lanes(T* pointer, const Lanes<T, kLanes>& lanes) {
  constexpr int kBytes = static_cast<int>(sizeof(T)) * kLanes;
  if constexpr (kBytes == 8 || kBytes == 16) {
    uint32_t words[kBytes / 4];
    memcpy(words, lanes.values, kBytes);
    ptx::store_words(pointer, words);
  } else {
    store_lanes(pointer, lanes);
  }
}

// To global memory.
template <int kLanes, typename T>
__device__ __forceinline__ void store_float_lanes(T* pointer, const Lanes<float, kLanes>& lanes) {
  Lanes<T, kLanes> stored;
#pragma unroll
  for (int lane = 0; lane < kLanes; ++lane) {
    stored[lane] = from_float<T>(lanes[lane]);
  }
  store_global_lanes(pointer, stored);
}

}  // namespace stitch
