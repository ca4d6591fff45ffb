// SPDX-License-Identifier: Apache-2.0
// What runtime/ptx/convert.cuh does on the emulated device.
#pragma once

#include <stdint.h>

namespace stitch::ptx::emulated {

inline uint32_t bits_of(float value) {
  uint32_t bits;
  __builtin_memcpy(&bits, &value, sizeof(bits));
  return bits;
}

inline float float_of(uint32_t bits) {
  float value;
  __builtin_memcpy(&value, &bits, sizeof(value));
  return value;
}

inline uint32_t bf16_bits(float value) {
  const uint32_t bits = bits_of(value);
  return value != value ? 0x7fffu : (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
}

// Exponents of the two differ by 112. Without the processor's own instructions a compiler calls functions for both
// conversions, which took a fifth of the time of programs that multiply in fp16.
inline uint32_t fp16_bits(float value) {
  constexpr uint32_t kInfinity = 0x7f800000u, kTooLarge = 0x47800000u, kLeastNormal = 0x38800000u;
  const uint32_t sign = bits_of(value) >> 16 & 0x8000u;
  const uint32_t size = bits_of(value) & 0x7fffffffu;
  if (size >= kTooLarge) {
    return sign | 0x7c00u | (size > kInfinity ? 0x200u | (size >> 13 & 0x1ffu) : 0);
  }
  if (size < kLeastNormal) {
    return sign | (bits_of(float_of(size) + 0.5f) - bits_of(0.5f));  // the sum's last bit is fp16's
  }
  return sign | ((size - (112u << 23) + 0xfffu + (size >> 13 & 1u)) >> 13);
}

inline float fp16_value(uint32_t half_bits) {
  constexpr uint32_t kInfinity = 31u << 23, kQuiet = 0x400000u;
  const uint32_t sign = (half_bits & 0x8000u) << 16;
  const uint32_t size = (half_bits & 0x7fffu) << 13;
  if (size >= kInfinity) {
    return float_of(sign | 0x7f800000u | size | (size > kInfinity ? kQuiet : 0));
  }
  return float_of(sign | bits_of(float_of(size) * 0x1p112f));
}

inline uint32_t round_to_tf32(float value) {
  const uint32_t bits = bits_of(value);
  const bool finite = (bits & 0x7f800000u) != 0x7f800000u;
  return finite ? (bits + 0x1000u) & 0xffffe000u : bits;
}

inline uint32_t pack_bf16x2(float low, float high) { return bf16_bits(low) | bf16_bits(high) << 16; }
inline uint32_t pack_fp16x2(float low, float high) { return fp16_bits(low) | fp16_bits(high) << 16; }

}  // namespace stitch::ptx::emulated
