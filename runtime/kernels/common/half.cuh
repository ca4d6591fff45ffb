// SPDX-License-Identifier: Apache-2.0
// 16-bit storage types: the conversions that to_float() and from_float() need for them. Only steps with such tensors
// include this, since cuda_fp16.h and cuda_bf16.h cost compile time.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "kernels/common/convert.cuh"

namespace stitch {

template <>
struct ToFloat<__half> {
  static __device__ __forceinline__ float convert(__half value) { return __half2float(value); }
};

template <>
struct ToFloat<__nv_bfloat16> {
  static __device__ __forceinline__ float convert(__nv_bfloat16 value) { return __bfloat162float(value); }
};

template <>
struct FromFloat<__half> {
  static __device__ __forceinline__ __half convert(float value) { return __float2half_rn(value); }
};

template <>
struct FromFloat<__nv_bfloat16> {
  static __device__ __forceinline__ __nv_bfloat16 convert(float value) { return __float2bfloat16_rn(value); }
};

}  // namespace stitch
