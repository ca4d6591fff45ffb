// SPDX-License-Identifier: Apache-2.0
// Rounds the operands of a convolution to TF32 as the library does, those of the product behind it not.
#include "convolution_then_product.h"

static int run_program(const Call& call) { return compute<13, 0>(call); }
