// SPDX-License-Identifier: Apache-2.0
// Rounds the operands of a product to TF32, as only those of the convolution before it may be.
#include "convolution_then_product.h"

static int run_program(const Call& call) { return compute<13, 13>(call); }
