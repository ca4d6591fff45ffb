// SPDX-License-Identifier: Apache-2.0
// runtime/kernels/conv: two-dimensional convolution as an implicit GEMM, or depthwise.
#pragma once

#include "kernels/template/kernel_template.h"

namespace stitch::kernels {

std::unique_ptr<KernelTemplate> make_conv2d();

}  // namespace stitch::kernels
