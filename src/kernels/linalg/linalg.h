// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "kernels/template/kernel_template.h"

namespace stitch::kernels {

// runtime/kernels/linalg: factors of small square matrices, and systems of equations with triangles.
std::unique_ptr<KernelTemplate> make_linalg();

}  // namespace stitch::kernels
