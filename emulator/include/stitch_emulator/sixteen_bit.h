// SPDX-License-Identifier: Apache-2.0
// Functions of __half and __nv_bfloat16 that the toolkit defines for device code only: computed in float and rounded
// once, a fused multiply-add in double.
#pragma once

#include "stitch_emulator/atomics.h"
#include "stitch_emulator/float_math.h"

// One argument: NAME for T, TWO_NAME for pairs.
#define STITCH_SIXTEEN_BIT_UNARY(T, T2, TO_FLOAT, FROM_FLOAT, PAIR, LOW, HIGH, NAME, TWO_NAME, EXPRESSION) \
  inline T NAME(const T a) {                                                                               \
    const float x = TO_FLOAT(a);                                                                           \
    return FROM_FLOAT(EXPRESSION);                                                                         \
  }                                                                                                        \
  inline T2 TWO_NAME(const T2 a) { return PAIR(NAME(LOW(a)), NAME(HIGH(a))); }

// A product of two such numbers is exact in double, and so is its sum with a third but for the last of 53 bits.
#define STITCH_SIXTEEN_BIT_FMA(T, T2, TO_FLOAT, FROM_FLOAT, PAIR, LOW, HIGH, NAME, TWO_NAME, EXPRESSION) \
  inline T NAME(const T a, const T b, const T c) {                                                       \
    const double exact = static_cast<double>(TO_FLOAT(a)) * TO_FLOAT(b) + TO_FLOAT(c);                   \
    const float x = stitch_emulator::round_to_odd(exact);                                                \
    return FROM_FLOAT(EXPRESSION);                                                                       \
  }                                                                                                      \
  inline T2 TWO_NAME(const T2 a, const T2 b, const T2 c) {                                               \
    return PAIR(NAME(LOW(a), LOW(b), LOW(c)), NAME(HIGH(a), HIGH(b), HIGH(c)));                          \
  }

namespace stitch_emulator {
// Rounding first to float and then to 16 bits could round twice; rounding to odd in between cannot.
inline float round_to_odd(double exact) {
  const float nearest = static_cast<float>(exact);
  if (static_cast<double>(nearest) == exact || nearest != nearest || isinf(nearest)) {
    return nearest;
  }
  const float down = round_to_zero(exact);
  return bit_cast<float>(bit_cast<uint32_t>(down) | 1u);
}
}  // namespace stitch_emulator

#define STITCH_SIXTEEN_BIT(T, T2, ...)                                                         \
  STITCH_SIXTEEN_BIT_UNARY(T, T2, __VA_ARGS__, htrunc, h2trunc, truncf(x))                     \
  STITCH_SIXTEEN_BIT_UNARY(T, T2, __VA_ARGS__, hceil, h2ceil, ceilf(x))                        \
  STITCH_SIXTEEN_BIT_UNARY(T, T2, __VA_ARGS__, hfloor, h2floor, floorf(x))                     \
  STITCH_SIXTEEN_BIT_UNARY(T, T2, __VA_ARGS__, hrint, h2rint, rintf(x))                        \
  STITCH_SIXTEEN_BIT_UNARY(T, T2, __VA_ARGS__, hsqrt, h2sqrt, sqrtf(x))                        \
  STITCH_SIXTEEN_BIT_UNARY(T, T2, __VA_ARGS__, hrsqrt, h2rsqrt, rsqrtf(x))                     \
  STITCH_SIXTEEN_BIT_UNARY(T, T2, __VA_ARGS__, hrcp, h2rcp, 1.0f / x)                          \
  STITCH_SIXTEEN_BIT_UNARY(T, T2, __VA_ARGS__, hlog, h2log, logf(x))                           \
  STITCH_SIXTEEN_BIT_UNARY(T, T2, __VA_ARGS__, hlog2, h2log2, log2f(x))                        \
  STITCH_SIXTEEN_BIT_UNARY(T, T2, __VA_ARGS__, hlog10, h2log10, log10f(x))                     \
  STITCH_SIXTEEN_BIT_UNARY(T, T2, __VA_ARGS__, hexp, h2exp, expf(x))                           \
  STITCH_SIXTEEN_BIT_UNARY(T, T2, __VA_ARGS__, hexp2, h2exp2, exp2f(x))                        \
  STITCH_SIXTEEN_BIT_UNARY(T, T2, __VA_ARGS__, hexp10, h2exp10, exp10f(x))                     \
  STITCH_SIXTEEN_BIT_UNARY(T, T2, __VA_ARGS__, hcos, h2cos, cosf(x))                           \
  STITCH_SIXTEEN_BIT_UNARY(T, T2, __VA_ARGS__, hsin, h2sin, sinf(x))                           \
  STITCH_SIXTEEN_BIT_UNARY(T, T2, __VA_ARGS__, htanh, h2tanh, tanhf(x))                        \
  STITCH_SIXTEEN_BIT_UNARY(T, T2, __VA_ARGS__, htanh_approx, h2tanh_approx, tanhf(x))          \
  STITCH_SIXTEEN_BIT_FMA(T, T2, __VA_ARGS__, __hfma, __hfma2, x)                               \
  STITCH_SIXTEEN_BIT_FMA(T, T2, __VA_ARGS__, __hfma_sat, __hfma2_sat, __saturatef(x))          \
  STITCH_SIXTEEN_BIT_FMA(T, T2, __VA_ARGS__, __hfma_relu, __hfma2_relu, (x < 0.0f ? 0.0f : x)) \
  inline T atomicAdd(T* address, const T value, STITCH_PLACE) {                                \
    return stitch_emulator::update(                                                            \
        address, [=](T old) { return old + value; }, STITCH_PLACE_ARGUMENTS);                  \
  }                                                                                            \
  inline T2 atomicAdd(T2* address, const T2 value, STITCH_PLACE) {                             \
    return stitch_emulator::update(                                                            \
        address, [=](T2 old) { return old + value; }, STITCH_PLACE_ARGUMENTS);                 \
  }

#define STITCH_SIXTEEN_BIT_TO_INTEGER(T, NAME, TO)                                              \
  inline TO NAME##_rn(const T a) { return stitch_emulator::saturate<TO>(nearbyint((float)a)); } \
  inline TO NAME##_rd(const T a) { return stitch_emulator::saturate<TO>(floor((float)a)); }     \
  inline TO NAME##_ru(const T a) { return stitch_emulator::saturate<TO>(ceil((float)a)); }
#define STITCH_SIXTEEN_BIT_TO_INTEGERS(T, PREFIX)                   \
  STITCH_SIXTEEN_BIT_TO_INTEGER(T, PREFIX##2int, int)               \
  STITCH_SIXTEEN_BIT_TO_INTEGER(T, PREFIX##2uint, unsigned int)     \
  STITCH_SIXTEEN_BIT_TO_INTEGER(T, PREFIX##2short, short)           \
  STITCH_SIXTEEN_BIT_TO_INTEGER(T, PREFIX##2ushort, unsigned short) \
  STITCH_SIXTEEN_BIT_TO_INTEGER(T, PREFIX##2ll, long long)          \
  STITCH_SIXTEEN_BIT_TO_INTEGER(T, PREFIX##2ull, unsigned long long)
