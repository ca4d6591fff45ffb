// SPDX-License-Identifier: Apache-2.0
// runtime/kernels/reduce/double_precision.cuh: sum, mean, amax, amin and var of float64.
#pragma once

#include "kernels/template/kernel_template.h"

namespace stitch::kernels {

std::unique_ptr<KernelTemplate> make_reduce_double();

}  // namespace stitch::kernels
