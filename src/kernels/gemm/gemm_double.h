// SPDX-License-Identifier: Apache-2.0
// runtime/kernels/gemm/double_precision.cuh: linear and matmul of float64.
#pragma once

#include "kernels/template/kernel_template.h"

namespace stitch::kernels {

std::unique_ptr<KernelTemplate> make_gemm_double();

}  // namespace stitch::kernels
