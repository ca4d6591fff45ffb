// SPDX-License-Identifier: Apache-2.0
// Rounding of floats to the tensor cores' operand types.
#pragma once

#include <stdint.h>

#ifdef STITCH_EMULATED
#include <stitch_emulator/ptx/convert.h>
#endif

namespace stitch::ptx {

// Round to nearest, ties away; NaN and infinity stay.
__device__ __forceinline__ uint32_t round_to_tf32(float value) {
#ifdef STITCH_EMULATED
  return emulated::round_to_tf32(value);
#else
  uint32_t rounded;
  asm("cvt.rna.tf32.f32 %0, %1;\n" : "=r"(rounded) : "f"(value));
  return rounded;
#endif
}

// Two values in one register, `low` in the low half, rounded to nearest even.
__device__ __forceinline__ uint32_t pack_bf16x2(float low, float high) {
#ifdef STITCH_EMULATED
  return emulated::pack_bf16x2(low, high);
#else
  uint32_t packed;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;\n" : "=r"(packed) : "f"(high), "f"(low));
  return packed;
#endif
}

__device__ __forceinline__ uint32_t pack_fp16x2(float low, float high) {
#ifdef STITCH_EMULATED
  return emulated::pack_fp16x2(low, high);
#else
  uint32_t packed;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;\n" : "=r"(packed) : "f"(high), "f"(low));
  return packed;
#endif
}

}  // namespace stitch::ptx
