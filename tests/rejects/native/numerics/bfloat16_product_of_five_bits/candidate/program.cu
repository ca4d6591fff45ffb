// SPDX-License-Identifier: Apache-2.0
// Rounds the operands of a product in bfloat16 to five mantissa bits.
#include <cuda_bf16.h>

// To 5 bits after the first, to the nearest.
__device__ inline float coarse(__nv_bfloat16 value) {
  const unsigned bits = __float_as_uint(__bfloat162float(value));
  return __uint_as_float((bits + (1u << 17)) & ~((1u << 18) - 1));
}

#define TERM(left, right) (coarse(left) * coarse(right))
#define STORE(value, row, column) __float2bfloat16(value)
#include "linear_bfloat16.h"
