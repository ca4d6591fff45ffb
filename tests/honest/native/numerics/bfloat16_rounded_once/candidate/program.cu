// SPDX-License-Identifier: Apache-2.0
// Sums in float and rounds to bfloat16 once.
#include <cuda_bf16.h>

#define STORE(value, row, column) __float2bfloat16(value)
#include "linear_bfloat16.h"
