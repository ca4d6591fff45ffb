// SPDX-License-Identifier: Apache-2.0
// runtime/kernels/reduce: sum, mean, amax, amin, var and logsumexp over any axes; mean and var of one operand share a
// pass.
#pragma once

#include "kernels/template/kernel_template.h"

namespace stitch::kernels {

std::unique_ptr<KernelTemplate> make_reduce();

}  // namespace stitch::kernels
