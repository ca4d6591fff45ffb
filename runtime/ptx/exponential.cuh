// SPDX-License-Identifier: Apache-2.0
// A power of two in one instruction, by two units in the last place; what has no normal number is zero.
#pragma once

namespace stitch::ptx {

__device__ __forceinline__ float exponential_of_two(float x) {
#ifdef STITCH_EMULATED
  return exp2f(x);
#else
  float result;
  asm("ex2.approx.ftz.f32 %0, %1;\n" : "=f"(result) : "f"(x));
  return result;
#endif
}

}  // namespace stitch::ptx
