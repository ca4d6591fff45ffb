// SPDX-License-Identifier: Apache-2.0
// Concatenation: each operand is written to its place in the result by a pointwise map of its own.
#pragma once

#include "kernels/template/kernel_template.h"

namespace stitch::kernels {

std::unique_ptr<KernelTemplate> make_cat();

}  // namespace stitch::kernels
