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

// One of two packed values: the low half's or the high one's.
__device__ __forceinline__ float low_fp16(uint32_t packed) {
#ifdef STITCH_EMULATED
  return emulated::fp16_value(packed & 0xffffu);
#else
  float value;
  asm("{\n.reg .b16 low, high;\nmov.b32 {low, high}, %1;\ncvt.f32.f16 %0, low;\n}\n" : "=f"(value) : "r"(packed));
  return value;
#endif
}

__device__ __forceinline__ float high_fp16(uint32_t packed) {
#ifdef STITCH_EMULATED
  return emulated::fp16_value(packed >> 16);
#else
  float value;
  asm("{\n.reg .b16 low, high;\nmov.b32 {low, high}, %1;\ncvt.f32.f16 %0, high;\n}\n" : "=f"(value) : "r"(packed));
  return value;
#endif
}

}  // namespace stitch::ptx
