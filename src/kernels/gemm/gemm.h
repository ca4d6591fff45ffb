// SPDX-License-Identifier: Apache-2.0
// runtime/kernels/gemm: linear and matmul, with everything pointwise behind them in the epilogue.
#pragma once

#include "kernels/template/kernel_template.h"

namespace stitch::kernels {

std::unique_ptr<KernelTemplate> make_gemm();

}  // namespace stitch::kernels
