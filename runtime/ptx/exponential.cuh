// SPDX-License-Identifier: Apache-2.0
// Two to the power of a float as the special function unit has it.
#pragma once

#ifdef STITCH_EMULATED
#include <cmath>
#endif

namespace stitch::ptx {

// Within two ulp; 0 in the place of subnormal results and of 2 to minus infinity.
__device__ __forceinline__ float exp2(float x) {
#ifdef STITCH_EMULATED
  return std::exp2(x);
#else
  float result;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
#endif
}

}  // namespace stitch::ptx
