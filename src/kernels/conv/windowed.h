// SPDX-License-Identifier: Apache-2.0
// Convolutions of few channels whose outputs are pooled, or reduced over spatial axes, where they are computed, with a
// softmax over channels before or behind (runtime/kernels/conv/direct_fp16_pool.cuh).
#pragma once

#include <memory>

#include "kernels/template/kernel_template.h"

namespace stitch::kernels {

// Its groups are made of a convolution, which is the root, and of what join_chain() takes.
constexpr const char* kWindowedConvolution = "windowed_convolution";

std::unique_ptr<KernelTemplate> make_windowed_convolution();

}  // namespace stitch::kernels
