// SPDX-License-Identifier: Apache-2.0
// Functions beyond CUDA's own, with PyTorch's names and its results for NaN, infinities and zeros. Real: float, double.
#pragma once

#include <stdint.h>

#include "kernels/common/real.cuh"

namespace stitch {

// From the quotient of a whole multiple, as Python and PyTorch do: 1.0 and 0.1 give 9.
template <typename Real>
__device__ __forceinline__ Real remainder(Real a, Real b) {
  const Real rest = real::fmod(a, b);
  return rest != 0 && (b < 0) != (rest < 0) ? rest + b : rest;
}

template <typename Real>
__device__ __forceinline__ Real floor_divide(Real a, Real b) {
  if (b == 0) {
    return a / b;
  }
  // Not by the remainder of b's sign: beside an infinite b that one is infinite too.
  const Real rest = real::fmod(a, b);
  const Real cut = (a - rest) / b;
  const Real quotient = rest != 0 && (b < 0) != (rest < 0) ? cut - 1 : cut;
  if (quotient == 0) {
    return real::copysign(Real(0), a / b);
  }
  const Real whole = real::floor(quotient);
  return quotient - whole > Real(0.5) ? whole + 1 : whole;
}

template <typename Real>
__device__ __forceinline__ Real heaviside(Real x, Real values) {
  return x == 0 ? values : x > 0 ? Real(1) : Real(0);
}

template <typename Real>
__device__ __forceinline__ Real lerp(Real a, Real b, Real weight) {
  return weight < Real(0.5) ? a + weight * (b - a) : b - (b - a) * (1 - weight);
}

template <typename Real>
__device__ __forceinline__ Real nan_to_num(Real x, Real nan, Real posinf, Real neginf) {
  return x != x ? nan : x == Real(INFINITY) ? posinf : x == -Real(INFINITY) ? neginf : x;
}

template <typename Real>
__device__ __forceinline__ Real hardshrink(Real x, Real lambd) {
  return x >= -lambd && x <= lambd ? Real(0) : x;
}

template <typename Real>
__device__ __forceinline__ Real softshrink(Real x, Real lambd) {
  return x > lambd ? x - lambd : x < -lambd ? x + lambd : x * Real(0);  // NaN stays NaN
}

template <typename Real>
__device__ __forceinline__ Real sinc(Real x) {
  const Real angle = Real(3.14159265358979323846) * x;
  return x == 0 ? Real(1) : real::sin(angle) / angle;
}

template <typename Real>
__device__ __forceinline__ Real logaddexp(Real a, Real b) {
  const bool same_infinity = a == b && real::fabs(a) == Real(INFINITY);
  return same_infinity ? a : real::fmax(a, b) + real::log1p(real::exp(-real::fabs(a - b)));
}

template <typename Real>
__device__ __forceinline__ Real logaddexp2(Real a, Real b) {
  constexpr Real kInverseLogOfTwo = Real(1.44269504088896340736);
  const bool same_infinity = a == b && real::fabs(a) == Real(INFINITY);
  return same_infinity ? a : real::fmax(a, b) + real::log1p(real::exp2(-real::fabs(a - b))) * kInverseLogOfTwo;
}

template <typename Real>
__device__ __forceinline__ Real xlogy(Real x, Real y) {
  return x == 0 && y == y ? Real(0) : x * real::log(y);
}

template <typename Real>
__device__ __forceinline__ Real xlog1py(Real x, Real y) {
  return x == 0 && y == y ? Real(0) : x * real::log1p(y);
}

// Recurrence up to 10, then the asymptotic series; the reflection formula below zero, in double, since the tangent
// multiplies whatever the fraction has lost.
template <typename Real>
__device__ __forceinline__ Real digamma(Real x) {
  if (x == 0) {
    return real::copysign(Real(INFINITY), -x);
  }
  double sum = 0.0;
  double at = x;
  if (at < 0.0) {
    const double fraction = at - real::trunc(at);
    if (fraction == 0.0) {
      return Real(NAN);
    }
    constexpr double kPi = 3.14159265358979323846;
    sum = -kPi / real::tan(kPi * fraction);
    at = 1.0 - at;
  }
  for (; at < 10.0; at += 1.0) {
    sum -= 1.0 / at;
  }
  const double z = 1.0 / (at * at);
  const double series =
      z * (1.0 / 12 - z * (1.0 / 120 - z * (1.0 / 252 - z * (1.0 / 240 - z * (1.0 / 132 - z * (691.0 / 32760))))));
  return static_cast<Real>(sum + real::log(at) - 0.5 / at - series);
}

}  // namespace stitch
