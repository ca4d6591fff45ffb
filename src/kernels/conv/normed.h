// SPDX-License-Identifier: Apache-2.0
// Convolutions that are normalised, some channels of an image at a time (runtime/kernels/conv/normed.cuh): they take
// the statistics where their sums are, and what they store is read once.
#pragma once

#include <memory>

#include "kernels/template/kernel_template.h"

namespace stitch::kernels {

// Its groups are made of a convolution, which is the root, and of a layer norm over whole channels that alone reads it.
constexpr const char* kNormedConvolution = "normed_convolution";

std::unique_ptr<KernelTemplate> make_normed_convolution();

}  // namespace stitch::kernels
