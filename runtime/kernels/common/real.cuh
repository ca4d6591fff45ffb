// SPDX-License-Identifier: Apache-2.0
// The elementary functions under one name for float and double, so that what is made of them can be a template.
#pragma once

namespace stitch::real {

#define STITCH_REAL_FUNCTION(name)                                        \
  __device__ __forceinline__ float name(float x) { return ::name##f(x); } \
  __device__ __forceinline__ double name(double x) { return ::name(x); }
STITCH_REAL_FUNCTION(exp)
STITCH_REAL_FUNCTION(exp2)
STITCH_REAL_FUNCTION(expm1)
STITCH_REAL_FUNCTION(log)
STITCH_REAL_FUNCTION(log1p)
STITCH_REAL_FUNCTION(sqrt)
STITCH_REAL_FUNCTION(sin)
STITCH_REAL_FUNCTION(tan)
STITCH_REAL_FUNCTION(tanh)
STITCH_REAL_FUNCTION(erf)
STITCH_REAL_FUNCTION(fabs)
STITCH_REAL_FUNCTION(floor)
STITCH_REAL_FUNCTION(trunc)
#undef STITCH_REAL_FUNCTION

__device__ __forceinline__ float fmod(float a, float b) { return ::fmodf(a, b); }
__device__ __forceinline__ double fmod(double a, double b) { return ::fmod(a, b); }
__device__ __forceinline__ float fmax(float a, float b) { return ::fmaxf(a, b); }
__device__ __forceinline__ double fmax(double a, double b) { return ::fmax(a, b); }
__device__ __forceinline__ float fma(float a, float b, float c) { return ::fmaf(a, b, c); }
__device__ __forceinline__ double fma(double a, double b, double c) { return ::fma(a, b, c); }
__device__ __forceinline__ float copysign(float a, float b) { return ::copysignf(a, b); }
__device__ __forceinline__ double copysign(double a, double b) { return ::copysign(a, b); }

}  // namespace stitch::real
