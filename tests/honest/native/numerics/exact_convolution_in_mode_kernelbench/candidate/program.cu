// SPDX-License-Identifier: Apache-2.0
// Computes a convolution in fp32 where the library would round its operands.
#include "convolution_then_product.h"

static int run_program(const Call& call) { return compute<0, 0>(call); }
