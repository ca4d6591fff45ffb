// SPDX-License-Identifier: Apache-2.0
// Powers of two that bring floats into the range of fp16, which has the significant bits of TF32 but not its range.
#pragma once

#include <stdint.h>

#include "kernels/common.cuh"

namespace stitch {

namespace fp16_detail {

constexpr uint32_t kNan = 0x7fc00000u;
constexpr int kLargestAt = 14;  // exponent of the largest element once scaled
constexpr int kMostScale = 60;  // of either sign: products and what undoes their scales stay in range

}  // namespace fp16_detail

__device__ __forceinline__ uint32_t magnitude_bits(float value) { return __float_as_uint(value) & 0x7fffffffu; }
// 0 for what is not finite.
__device__ __forceinline__ uint32_t finite_magnitude_bits(float value) {
  const uint32_t bits = magnitude_bits(value);
  return bits < 0x7f800000u ? bits : 0;
}

struct Fp16Scale {
  float scale;
  float unscale;  // NaN where fp16 does not hold the elements: their products are computed in another way
};

// largest: bits of the largest magnitude, whose exponent becomes `largest_at`.
__device__ __forceinline__ Fp16Scale fp16_scale(uint32_t largest, int largest_at = fp16_detail::kLargestAt) {
  if (largest == 0) {
    return {1.0f, 1.0f};
  }
  const int exponent = static_cast<int>(largest >> 23) - 127;
  const int shift = largest_at - exponent;
  if (shift > fp16_detail::kMostScale || shift < -fp16_detail::kMostScale) {  // NaN and infinity have the largest
    return {0.0f, __uint_as_float(fp16_detail::kNan)};
  }
  return {__int_as_float((127 + shift) << 23), __int_as_float((127 - shift) << 23)};
}

}  // namespace stitch
