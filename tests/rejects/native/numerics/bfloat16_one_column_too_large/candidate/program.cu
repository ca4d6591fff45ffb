// SPDX-License-Identifier: Apache-2.0
// Is five per cent too large in one column, in bfloat16.
#include <cuda_bf16.h>

#define TALL
#define STORE(value, row, column) __float2bfloat16((column) == 17 ? (value) * 1.05f : (value))
#include "linear_bfloat16.h"
