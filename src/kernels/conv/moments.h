// SPDX-License-Identifier: Apache-2.0
// Convolutions that also take mean and variance of what they store (runtime/kernels/conv/direct_rows_moments.cuh): a
// trained norm behind them then reads their outputs once.
#pragma once

#include <memory>

#include "kernels/template/kernel_template.h"

namespace stitch::kernels {

// Its groups are made of a convolution, which is the root, and of reductions of its only other result.
constexpr const char* kConvolutionMoments = "convolution_moments";

std::unique_ptr<KernelTemplate> make_convolution_moments();

}  // namespace stitch::kernels
