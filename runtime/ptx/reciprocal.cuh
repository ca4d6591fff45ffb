// SPDX-License-Identifier: Apache-2.0
// The reciprocal as the special function unit has it.
#pragma once

namespace stitch::ptx {

// Within an ulp; of subnormal numbers infinity, and 0 in the place of subnormal reciprocals.
__device__ __forceinline__ float reciprocal(float x) {
#ifdef STITCH_EMULATED
  return 1.0f / x;
#else
  float result;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
#endif
}

}  // namespace stitch::ptx
