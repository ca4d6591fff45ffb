// SPDX-License-Identifier: Apache-2.0
// Floating-point functions the host's <math.h> lacks. The approximate intrinsics are computed accurately here: the
// emulated device makes no claim about a GPU's rounding.
#pragma once

#include "stitch_emulator/integer_math.h"

#define STITCH_PI 3.14159265358979323846

constexpr float min(float a, float b) { return b < a || a != a ? b : a; }
constexpr float max(float a, float b) { return a < b || a != a ? b : a; }
constexpr double min(double a, double b) { return b < a || a != a ? b : a; }
constexpr double max(double a, double b) { return a < b || a != a ? b : a; }
constexpr double min(float a, double b) { return min(static_cast<double>(a), b); }
constexpr double max(float a, double b) { return max(static_cast<double>(a), b); }
constexpr double min(double a, float b) { return min(a, static_cast<double>(b)); }
constexpr double max(double a, float b) { return max(a, static_cast<double>(b)); }

inline float rsqrtf(float x) { return static_cast<float>(1.0 / sqrt(static_cast<double>(x))); }
inline double rsqrt(double x) { return 1.0 / sqrt(x); }
inline float rsqrt(float x) { return rsqrtf(x); }
inline float rcbrtf(float x) { return static_cast<float>(1.0 / cbrt(static_cast<double>(x))); }
inline double rcbrt(double x) { return 1.0 / cbrt(x); }
inline float normcdff(float x) { return static_cast<float>(0.5 * erfc(-static_cast<double>(x) * M_SQRT1_2)); }
inline double normcdf(double x) { return 0.5 * erfc(-x * M_SQRT1_2); }
// exp(x^2) erfc(x); where the first overflows and the second has no digits, the continued fraction of Laplace.
inline double erfcx(double x) {
  if (!(x >= 8.0)) {
    return exp(x * x) * erfc(x);
  }
  double fraction = x;
  for (int step = 40; step > 0; --step) {
    fraction = x + step / 2.0 / fraction;
  }
  return 1.0 / (sqrt(STITCH_PI) * fraction);
}
inline float erfcxf(float x) { return static_cast<float>(erfcx(static_cast<double>(x))); }
inline float sinpif(float x) { return static_cast<float>(sin(STITCH_PI * remainder(static_cast<double>(x), 2.0))); }
inline float cospif(float x) { return static_cast<float>(cos(STITCH_PI * remainder(static_cast<double>(x), 2.0))); }
inline double sinpi(double x) { return sin(STITCH_PI * remainder(x, 2.0)); }
inline double cospi(double x) { return cos(STITCH_PI * remainder(x, 2.0)); }
inline void sincospif(float x, float* sine, float* cosine) {
  *sine = sinpif(x);
  *cosine = cospif(x);
}
inline float norm3df(float a, float b, float c) { return sqrtf(a * a + b * b + c * c); }
inline float rnorm3df(float a, float b, float c) { return rsqrtf(a * a + b * b + c * c); }
// Winitzki's approximation of 2008, then Newton's method: on erfc, which keeps its digits near 1, or on erf near 0.
inline double erfinv(double x) {
  const double magnitude = fabs(x);
  if (!(magnitude < 1.0)) {
    return magnitude == 1.0 ? x * INFINITY : NAN;
  }
  const double logarithm = log1p(-x * x);
  const double half = 2.0 / (STITCH_PI * 0.147) + logarithm / 2.0;
  double y = sqrt(sqrt(half * half - logarithm / 0.147) - half);
  for (int step = 0; step < 4; ++step) {
    const double beyond = magnitude < 0.5 ? magnitude - erf(y) : erfc(y) - (1.0 - magnitude);
    y += beyond / (2.0 / sqrt(STITCH_PI) * exp(-y * y));
  }
  return copysign(y, x);
}
inline float erfinvf(float x) { return static_cast<float>(erfinv(static_cast<double>(x))); }
inline float fdividef(float a, float b) { return a / b; }

inline float __saturatef(float x) { return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f; }
inline float __expf(float x) { return expf(x); }
inline float __exp10f(float x) { return exp10f(x); }
inline float __logf(float x) { return logf(x); }
inline float __log2f(float x) { return log2f(x); }
inline float __log10f(float x) { return log10f(x); }
inline float __sinf(float x) { return sinf(x); }
inline float __cosf(float x) { return cosf(x); }
inline float __tanf(float x) { return tanf(x); }
inline void __sincosf(float x, float* sine, float* cosine) { sincosf(x, sine, cosine); }
inline float __powf(float x, float y) { return powf(x, y); }
inline float __fdividef(float a, float b) { return a / b; }
inline float __frsqrt_rn(float x) { return rsqrtf(x); }
inline float __tanhf(float x) { return tanhf(x); }

// Explicitly rounded arithmetic: round to nearest is what the compiler emits (-ffp-contract=off keeps it so).
inline float __fadd_rn(float a, float b) { return a + b; }
inline float __fsub_rn(float a, float b) { return a - b; }
inline float __fmul_rn(float a, float b) { return a * b; }
inline float __fdiv_rn(float a, float b) { return a / b; }
inline float __frcp_rn(float x) { return 1.0f / x; }
inline float __fsqrt_rn(float x) { return sqrtf(x); }
inline float __fmaf_rn(float a, float b, float c) { return fmaf(a, b, c); }
inline double __dadd_rn(double a, double b) { return a + b; }
inline double __dsub_rn(double a, double b) { return a - b; }
inline double __dmul_rn(double a, double b) { return a * b; }
inline double __ddiv_rn(double a, double b) { return a / b; }
inline double __drcp_rn(double x) { return 1.0 / x; }
inline double __dsqrt_rn(double x) { return sqrt(x); }
inline double __fma_rn(double a, double b, double c) { return fma(a, b, c); }

namespace stitch_emulator {
// A double holds float sums, products and fmas closely enough to know which side of the float result they lie on.
inline float round_down(double exact) {
  const float nearest = static_cast<float>(exact);
  return static_cast<double>(nearest) > exact ? nextafterf(nearest, -INFINITY) : nearest;
}
inline float round_up(double exact) {
  const float nearest = static_cast<float>(exact);
  return static_cast<double>(nearest) < exact ? nextafterf(nearest, INFINITY) : nearest;
}
inline float round_to_zero(double exact) { return exact > 0 ? round_down(exact) : round_up(exact); }

template <class To>
inline To saturate(double value) {
  constexpr bool kSigned = static_cast<To>(-1) < To(0);
  constexpr int kBits = 8 * sizeof(To) - (kSigned ? 1 : 0);
  const double limit = ldexp(1.0, kBits);
  if (value != value) {
    return 0;
  }
  if (value >= limit) {
    return static_cast<To>(~To(0) ^ (kSigned ? To(1) << kBits % (8 * sizeof(To)) : To(0)));
  }
  const double lowest = kSigned ? -limit : 0.0;
  return static_cast<To>(value < lowest ? lowest : value);
}
}  // namespace stitch_emulator

inline float __fadd_rd(float a, float b) { return stitch_emulator::round_down(static_cast<double>(a) + b); }
inline float __fadd_ru(float a, float b) { return stitch_emulator::round_up(static_cast<double>(a) + b); }
inline float __fadd_rz(float a, float b) { return stitch_emulator::round_to_zero(static_cast<double>(a) + b); }
inline float __fmul_rd(float a, float b) { return stitch_emulator::round_down(static_cast<double>(a) * b); }
inline float __fmul_ru(float a, float b) { return stitch_emulator::round_up(static_cast<double>(a) * b); }
inline float __fmul_rz(float a, float b) { return stitch_emulator::round_to_zero(static_cast<double>(a) * b); }
inline float __double2float_rn(double x) { return static_cast<float>(x); }
inline float __double2float_rd(double x) { return stitch_emulator::round_down(x); }
inline float __double2float_ru(double x) { return stitch_emulator::round_up(x); }
inline float __double2float_rz(double x) { return stitch_emulator::round_to_zero(x); }

#define STITCH_FLOAT_TO_INTEGER(NAME, FROM, TO)                                       \
  inline TO NAME##_rn(FROM x) { return stitch_emulator::saturate<TO>(nearbyint(x)); } \
  inline TO NAME##_rd(FROM x) { return stitch_emulator::saturate<TO>(floor(x)); }     \
  inline TO NAME##_ru(FROM x) { return stitch_emulator::saturate<TO>(ceil(x)); }      \
  inline TO NAME##_rz(FROM x) { return stitch_emulator::saturate<TO>(trunc(x)); }
STITCH_FLOAT_TO_INTEGER(__float2int, float, int)
STITCH_FLOAT_TO_INTEGER(__float2uint, float, unsigned int)
STITCH_FLOAT_TO_INTEGER(__float2ll, float, long long)
STITCH_FLOAT_TO_INTEGER(__float2ull, float, unsigned long long)
STITCH_FLOAT_TO_INTEGER(__double2int, double, int)
STITCH_FLOAT_TO_INTEGER(__double2uint, double, unsigned int)
STITCH_FLOAT_TO_INTEGER(__double2ll, double, long long)
STITCH_FLOAT_TO_INTEGER(__double2ull, double, unsigned long long)
#undef STITCH_FLOAT_TO_INTEGER

#define STITCH_INTEGER_TO_FLOAT(NAME, FROM)                                                      \
  inline float NAME##_rn(FROM x) { return static_cast<float>(x); }                               \
  inline float NAME##_rd(FROM x) { return stitch_emulator::round_down(static_cast<double>(x)); } \
  inline float NAME##_ru(FROM x) { return stitch_emulator::round_up(static_cast<double>(x)); }   \
  inline float NAME##_rz(FROM x) { return stitch_emulator::round_to_zero(static_cast<double>(x)); }
STITCH_INTEGER_TO_FLOAT(__int2float, int)
STITCH_INTEGER_TO_FLOAT(__uint2float, unsigned int)
STITCH_INTEGER_TO_FLOAT(__ll2float, long long)
STITCH_INTEGER_TO_FLOAT(__ull2float, unsigned long long)
#undef STITCH_INTEGER_TO_FLOAT
inline double __int2double_rn(int x) { return x; }
inline double __uint2double_rn(unsigned int x) { return x; }
inline double __ll2double_rn(long long x) { return static_cast<double>(x); }
inline double __ull2double_rn(unsigned long long x) { return static_cast<double>(x); }
