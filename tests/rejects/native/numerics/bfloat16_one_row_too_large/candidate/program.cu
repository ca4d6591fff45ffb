// SPDX-License-Identifier: Apache-2.0
// Is 8 % too large in one row of 96, in bfloat16.
#include <cuda_bf16.h>

#define STORE(value, row, column) __float2bfloat16((row) == 41 ? 1.08f * (value) : (value))
#include "linear_bfloat16.h"
