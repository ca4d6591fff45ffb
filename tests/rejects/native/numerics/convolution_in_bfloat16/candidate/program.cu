// SPDX-License-Identifier: Apache-2.0
// Rounds the operands of a convolution to bfloat16 where cuDNN rounds them to TF32.
#include "convolution_then_product.h"

static int run_program(const Call& call) { return compute<16, 0>(call); }
