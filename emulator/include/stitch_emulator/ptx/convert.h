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

inline uint32_t bf16_bits(float value) {
  const uint32_t bits = bits_of(value);
  return value != value ? 0x7fffu : (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
}

inline uint32_t fp16_bits(float value) {
  const _Float16 half = static_cast<_Float16>(value);
  uint16_t bits;
  __builtin_memcpy(&bits, &half, sizeof(bits));
  return bits;
}

inline float fp16_value(uint32_t half_bits) {
  const auto bits = static_cast<uint16_t>(half_bits);
  _Float16 value;
  __builtin_memcpy(&value, &bits, sizeof(value));
  return static_cast<float>(value);
}

inline uint32_t round_to_tf32(float value) {
  const uint32_t bits = bits_of(value);
  const bool finite = (bits & 0x7f800000u) != 0x7f800000u;
  return finite ? (bits + 0x1000u) & 0xffffe000u : bits;
}

inline uint32_t pack_bf16x2(float low, float high) { return bf16_bits(low) | bf16_bits(high) << 16; }
inline uint32_t pack_fp16x2(float low, float high) { return fp16_bits(low) | fp16_bits(high) << 16; }

}  // namespace stitch::ptx::emulated
