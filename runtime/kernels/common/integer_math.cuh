// SPDX-License-Identifier: Apache-2.0
// Integer arithmetic as PyTorch has it: results keep their low bits, division has Python's or C's rounding. Elements of
// every integer type are computed in int64_t; wrapped<T>() then brings a result back into the range of T.
#pragma once

#include <stdint.h>

namespace stitch {

template <typename T>
__device__ __forceinline__ int64_t wrapped(int64_t value) {
  return static_cast<int64_t>(static_cast<T>(value));
}

// By way of unsigned numbers, whose overflow is defined.
__device__ __forceinline__ int64_t wrapping_add(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}
__device__ __forceinline__ int64_t wrapping_subtract(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
}
__device__ __forceinline__ int64_t wrapping_multiply(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}
__device__ __forceinline__ int64_t wrapping_negate(int64_t a) { return wrapping_subtract(0, a); }

// Towards zero. Division by zero, which PyTorch refuses on a CPU and leaves undefined on a GPU, gives 0 here.
__device__ __forceinline__ int64_t quotient(int64_t a, int64_t b) {
  return b == 0 ? 0 : b == -1 ? wrapping_negate(a) : a / b;
}

// With the sign of a.
__device__ __forceinline__ int64_t truncated_remainder(int64_t a, int64_t b) { return b == 0 || b == -1 ? 0 : a % b; }

// Rounded down, and the remainder that goes with it, with the sign of b.
__device__ __forceinline__ int64_t floor_divide(int64_t a, int64_t b) {
  const int64_t rest = truncated_remainder(a, b);
  return quotient(a, b) - (rest != 0 && (rest < 0) != (b < 0) ? 1 : 0);
}
__device__ __forceinline__ int64_t remainder(int64_t a, int64_t b) {
  const int64_t rest = truncated_remainder(a, b);
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

// The greatest, by Euclid; never negative, and 0 of two zeros.
__device__ __forceinline__ int64_t common_divisor(int64_t a, int64_t b) {
  while (b != 0) {
    const int64_t rest = truncated_remainder(a, b);
    a = b;
    b = rest;
  }
  return a < 0 ? wrapping_negate(a) : a;
}

// By squaring. Negative exponents leave 0, but for bases 1 and -1.
__device__ __forceinline__ int64_t integer_power(int64_t base, int64_t exponent) {
  if (exponent < 0) {
    return base == 1 ? 1 : base == -1 ? (exponent % 2 == 0 ? 1 : -1) : 0;
  }
  int64_t power = 1;
  for (; exponent != 0; exponent /= 2) {
    power = exponent % 2 != 0 ? wrapping_multiply(power, base) : power;
    base = wrapping_multiply(base, base);
  }
  return power;
}

// kBits: of the element type. Nothing is left of a value shifted by all of its bits, or by a negative number, but its
// sign when shifted to the right.
template <int kBits>
__device__ __forceinline__ int64_t shifted_left(int64_t value, int64_t distance) {
  const bool keeps_any = distance >= 0 && distance < kBits;
  return keeps_any ? static_cast<int64_t>(static_cast<uint64_t>(value) << distance) : 0;
}
template <int kBits>
__device__ __forceinline__ int64_t shifted_right(int64_t value, int64_t distance) {
  const bool keeps_any = distance >= 0 && distance < kBits;
  return keeps_any ? value >> distance : (value < 0 ? -1 : 0);
}

}  // namespace stitch
