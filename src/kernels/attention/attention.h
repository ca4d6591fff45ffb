// SPDX-License-Identifier: Apache-2.0
// runtime/kernels/attention: scaled dot-product attention without the score matrix in memory.
#pragma once

#include "kernels/template/kernel_template.h"

namespace stitch::kernels {

std::unique_ptr<KernelTemplate> make_attention();

}  // namespace stitch::kernels
