// SPDX-License-Identifier: Apache-2.0
// runtime/kernels/pool: max and average pooling over the last two or three axes, by windows or into equal parts.
#pragma once

#include "kernels/template/kernel_template.h"

namespace stitch::kernels {

std::unique_ptr<KernelTemplate> make_pool();

}  // namespace stitch::kernels
