// SPDX-License-Identifier: Apache-2.0
// runtime/kernels/pool/window_2d.cuh: max, average and adaptive average pooling over the last two axes.
#pragma once

#include "kernels/template/kernel_template.h"

namespace stitch::kernels {

std::unique_ptr<KernelTemplate> make_pool();

}  // namespace stitch::kernels
