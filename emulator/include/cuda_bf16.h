// SPDX-License-Identifier: Apache-2.0
// The toolkit's header, then what it gives to device code only.
#pragma once

#include_next <cuda_bf16.h>

#include "stitch_emulator/sixteen_bit.h"

STITCH_SIXTEEN_BIT(__nv_bfloat16, __nv_bfloat162, __bfloat162float, __float2bfloat16_rn, __halves2bfloat162,
                   __low2bfloat16, __high2bfloat16)
STITCH_SIXTEEN_BIT_TO_INTEGERS(__nv_bfloat16, __bfloat16)
