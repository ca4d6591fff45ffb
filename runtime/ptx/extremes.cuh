// SPDX-License-Identifier: Apache-2.0
// The larger and the smaller of two floats in one instruction; NaN wins.
#pragma once

namespace stitch::ptx {

__device__ __forceinline__ float largest(float a, float b) {
#ifdef STITCH_EMULATED
  return (a != a || a > b) ? a : b;
#else
  float result;
  asm("max.NaN.f32 %0, %1, %2;\n" : "=f"(result) : "f"(a), "f"(b));
  return result;
#endif
}

__device__ __forceinline__ float smallest(float a, float b) {
#ifdef STITCH_EMULATED
  return (a != a || a < b) ? a : b;
#else
  float result;
  asm("min.NaN.f32 %0, %1, %2;\n" : "=f"(result) : "f"(a), "f"(b));
  return result;
#endif
}

}  // namespace stitch::ptx
