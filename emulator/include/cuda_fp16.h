// SPDX-License-Identifier: Apache-2.0
// The toolkit's header, then what it gives to device code only.
#pragma once

#include_next <cuda_fp16.h>

#include "stitch_emulator/sixteen_bit.h"

STITCH_SIXTEEN_BIT(__half, __half2, __half2float, __float2half_rn, __halves2half2, __low2half, __high2half)
STITCH_SIXTEEN_BIT_TO_INTEGERS(__half, __half)
