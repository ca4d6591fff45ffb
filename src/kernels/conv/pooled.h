// SPDX-License-Identifier: Apache-2.0
// Direct convolutions whose outputs are pooled where they are computed (runtime/kernels/conv/direct_pool.cuh): by
// windows that lie side by side and divide eight rows of 32 outputs, or as sums or means of planes; these on the tensor
// cores too (direct_mma_pool.cuh).
#pragma once

#include <memory>

#include "kernels/template/kernel_template.h"

namespace stitch::kernels {

// Its groups are made of a convolution, which is the root, and of a pool or reduction that alone reads it.
constexpr const char* kPooledConvolution = "pooled_convolution";

std::unique_ptr<KernelTemplate> make_pooled_convolution();

}  // namespace stitch::kernels
