// SPDX-License-Identifier: Apache-2.0
// Is five per cent too small in a column that follows from the parameters, in bfloat16.
#include <cuda_bf16.h>

#define TALL
#define STORE(value, row, column) \
  __float2bfloat16((column) == (__float_as_uint(__bfloat162float(bias[0])) >> 16) % 128 ? (value) * 0.95f : (value))
#include "linear_bfloat16.h"
