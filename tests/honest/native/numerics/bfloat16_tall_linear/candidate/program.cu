// SPDX-License-Identifier: Apache-2.0
// Multiplies many rows in bfloat16, summing in float.
#include <cuda_bf16.h>

#define TALL
#define STORE(value, row, column) __float2bfloat16(value)
#include "linear_bfloat16.h"
