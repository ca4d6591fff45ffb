// SPDX-License-Identifier: Apache-2.0
// runtime/kernels/conv: convolution over two or three axes and its transpose, as an implicit GEMM or depthwise.
#pragma once

#include "kernels/template/kernel_template.h"

namespace stitch::kernels {

std::unique_ptr<KernelTemplate> make_convolution();

}  // namespace stitch::kernels
