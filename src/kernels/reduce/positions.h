// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "kernels/template/kernel_template.h"

namespace stitch::kernels {

// argmax and argmin, and reductions of integers and truth values, which floats cannot hold; products.
std::unique_ptr<KernelTemplate> make_reduce_positions();

}  // namespace stitch::kernels
