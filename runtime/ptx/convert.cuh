// SPDX-License-Identifier: Apache-2.0
// Rounding of floats to the tensor cores' operand types.
#pragma once

#include <stdint.h>

namespace stitch::ptx {

#ifdef STITCH_EMULATED
inline uint32_t emulate_bits(float value) {
  uint32_t bits;
  __builtin_memcpy(&bits, &value, sizeof(bits));
  return bits;
}

inline uint32_t emulate_bf16(float value) {
  const uint32_t bits = emulate_bits(value);
  return value != value ? 0x7fffu : (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
}

inline uint32_t emulate_fp16(float value) {
  const _Float16 half = static_cast<_Float16>(value);
  uint16_t bits;
  __builtin_memcpy(&bits, &half, sizeof(bits));
  return bits;
}
#endif

// Round to nearest, ties away; NaN and infinity stay.
__device__ __forceinline__ uint32_t round_to_tf32(float value) {
#ifdef STITCH_EMULATED
  const uint32_t bits = emulate_bits(value);
  const bool finite = (bits & 0x7f800000u) != 0x7f800000u;
  return finite ? (bits + 0x1000u) & 0xffffe000u : bits;
#else
  uint32_t rounded;
  asm("cvt.rna.tf32.f32 %0, %1;\n" : "=r"(rounded) : "f"(value));
  return rounded;
#endif
}

// Two values in one register, `low` in the low half, rounded to nearest even.
__device__ __forceinline__ uint32_t pack_bf16x2(float low, float high) {
#ifdef STITCH_EMULATED
  return emulate_bf16(low) | emulate_bf16(high) << 16;
#else
  uint32_t packed;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;\n" : "=r"(packed) : "f"(high), "f"(low));
  return packed;
#endif
}

__device__ __forceinline__ uint32_t pack_fp16x2(float low, float high) {
#ifdef STITCH_EMULATED
  return emulate_fp16(low) | emulate_fp16(high) << 16;
#else
  uint32_t packed;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;\n" : "=r"(packed) : "f"(high), "f"(low));
  return packed;
#endif
}

}  // namespace stitch::ptx
