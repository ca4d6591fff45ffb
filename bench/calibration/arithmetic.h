// SPDX-License-Identifier: Apache-2.0
// Arithmetic that a CPU does not have: narrower formats, tensor-core sums, the GPU's fast intrinsics with their
// documented error.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <span>

namespace stitch::calibration {

inline constexpr float kEpsilon32 = 0x1p-23F;

// Keeps `significant` of fp32's 24 bits, rounded to nearest (Veltkamp's splitting); exponents keep fp32's range.
inline float round_to_bits(float value, int significant) {
  const float factor = std::ldexp(1.0F, 24 - significant) + 1.0F;
  const float scaled = factor * value;
  const float rounded = scaled - (scaled - value);
  return std::isfinite(rounded) ? rounded : value;
}
inline float round_to_tf32(float value) { return round_to_bits(value, 11); }
inline float round_to_half(float value) { return round_to_bits(value, 11); }
inline float round_to_bfloat16(float value) { return round_to_bits(value, 8); }

// A tensor core adds products exactly and drops what lies below the accumulator's last bit.
inline float truncate_to_float(double value) {
  const auto nearest = static_cast<float>(value);
  return std::fabs(static_cast<double>(nearest)) > std::fabs(value) ? std::nextafterf(nearest, 0.0F) : nearest;
}

// The same argument always gets the same error, within +-1.
inline double pseudo_error(float value) {
  const uint32_t mixed = std::bit_cast<uint32_t>(value) * 2654435761U;
  return static_cast<double>(mixed >> 8U) * 0x1p-23 - 1.0;
}

// ex2.approx.ftz of x * log2(e): 2 units in the last place, after the rounding of the product.
inline float fast_exp(float x) {
  const float exponent = x * 1.4426950408889634F;
  return static_cast<float>(std::exp2(static_cast<double>(exponent)) * (1 + 0x1p-22 * pseudo_error(exponent)));
}
// a * rcp.approx(b): 2 units.
inline float fast_divide(float a, float b) {
  const auto reciprocal = static_cast<float>(1.0 / static_cast<double>(b) * (1 + 0x1p-23 * pseudo_error(b)));
  return a * reciprocal;
}
// rsqrt.approx: 2 units.
inline float fast_rsqrt(float x) {
  return static_cast<float>(1.0 / std::sqrt(static_cast<double>(x)) * (1 + 0x1p-22 * pseudo_error(x)));
}

inline float pairwise_sum(std::span<const float> values) {
  if (values.size() <= 2) {
    return values.size() == 2 ? values[0] + values[1] : values.empty() ? 0.0F : values[0];
  }
  const size_t half = values.size() / 2;
  return pairwise_sum(values.first(half)) + pairwise_sum(values.subspan(half));
}

}  // namespace stitch::calibration
