// SPDX-License-Identifier: Apache-2.0
// The scalar functions generated pointwise code is written in, with PyTorch's names and its treatment of NaN. Real:
// float, or double in programs of float64.
#pragma once

#include <stdint.h>

#include "kernels/common/real.cuh"
#include "ptx/reciprocal.cuh"

namespace stitch {

// NaN stays NaN.
template <typename Real>
__device__ __forceinline__ Real relu(Real x) {
  return x < Real(0) ? Real(0) : x;
}

template <typename Real>
__device__ __forceinline__ Real reciprocal(Real x) {
  return Real(1) / x;
}

template <typename Real>
__device__ __forceinline__ Real reciprocal_square_root(Real x) {
  return Real(1) / real::sqrt(x);
}

// Within an ulp of numerator / denominator, without the branch of the exact division, which keeps neighbouring elements
// from being computed at a time. The denominator is normal, from 2^-125 to 2^125, the quotient normal or small.
__device__ __forceinline__ float quotient_of_normal(float numerator, float denominator) {
  const float inverse = ptx::reciprocal(denominator);
  const float quotient = numerator * inverse;
  return fmaf(fmaf(-denominator, quotient, numerator), inverse, quotient);
}
__device__ __forceinline__ double quotient_of_normal(double numerator, double denominator) {
  return numerator / denominator;
}

// A sixth of a number from 0 to 6, of which 6 gives 1; by the constant and what that leaves, without a division.
template <typename Real>
__device__ __forceinline__ Real sixth(Real x) {
  constexpr Real kSixth = Real(1) / Real(6);
  const Real quotient = x * kSixth;
  return real::fma(real::fma(Real(-6), quotient, x), kSixth, quotient);
}

// The exponential is 1 at most, so the denominator is normal wherever x is.
template <typename Real>
__device__ __forceinline__ Real sigmoid(Real x) {
  const Real exponential = real::exp(-real::fabs(x));
  return quotient_of_normal(x < Real(0) ? exponential : Real(1), Real(1) + exponential);
}

template <typename Real>
__device__ __forceinline__ Real silu(Real x) {
  return x * sigmoid(x);
}

template <typename Real>
__device__ __forceinline__ Real gelu(Real x) {
  constexpr Real kInverseSquareRootOfTwo = Real(0.70710678118654752);
  return Real(0.5) * x * (Real(1) + real::erf(x * kInverseSquareRootOfTwo));
}

template <typename Real>
__device__ __forceinline__ Real gelu_tanh(Real x) {
  constexpr Real kSquareRootOfTwoOverPi = Real(0.79788456080286536);
  constexpr Real kCubicCoefficient = Real(0.044715);
  return Real(0.5) * x * (Real(1) + real::tanh(kSquareRootOfTwoOverPi * (x + kCubicCoefficient * x * x * x)));
}

template <typename Real>
__device__ __forceinline__ Real leaky_relu(Real x, Real negative_slope) {
  return x > Real(0) ? x : x * negative_slope;
}

template <typename Real>
__device__ __forceinline__ Real elu(Real x, Real alpha) {
  return x > Real(0) ? x : alpha * real::expm1(x);
}

template <typename Real>
__device__ __forceinline__ Real softplus(Real x, Real beta, Real threshold) {
  return x * beta > threshold ? x : real::log1p(real::exp(x * beta)) / beta;
}

template <typename Real>
__device__ __forceinline__ Real maximum(Real a, Real b) {
  return (a != a || a > b) ? a : b;
}

template <typename Real>
__device__ __forceinline__ Real minimum(Real a, Real b) {
  return (a != a || a < b) ? a : b;
}

// NaN stays NaN, as in torch.clamp.
template <typename Real>
__device__ __forceinline__ Real clamp(Real x, Real low, Real high) {
  const Real raised = x < low ? low : x;
  return raised > high ? high : raised;
}

template <typename Real>
__device__ __forceinline__ Real hardtanh(Real x, Real low, Real high) {
  return clamp(x, low, high);
}

template <typename Real>
__device__ __forceinline__ Real hardsigmoid(Real x) {
  return sixth(clamp(x + Real(3), Real(0), Real(6)));
}

template <typename Real>
__device__ __forceinline__ Real hardswish(Real x) {
  return x * hardsigmoid(x);
}

template <typename Real>
__device__ __forceinline__ Real softsign(Real x) {
  return x / (Real(1) + real::fabs(x));
}

template <typename Real>
__device__ __forceinline__ Real square(Real x) {
  return x * x;
}

// x * tanh(softplus(x)), in which e = exp(x) leaves tanh(log(1 + e)) = n / (n + 2) with n = e * (e + 2): nothing
// cancels, and beyond the limit it is 1 in either type.
template <typename Real>
__device__ __forceinline__ Real mish(Real x) {
  constexpr Real kLimit = Real(20);
  const Real exponential = real::exp(x);
  const Real n = exponential * (exponential + Real(2));
  return x > kLimit ? x : quotient_of_normal(x * n, n + Real(2));
}

template <typename Real>
__device__ __forceinline__ Real sign(Real x) {
  return static_cast<Real>((x > Real(0)) - (x < Real(0)));
}

}  // namespace stitch
