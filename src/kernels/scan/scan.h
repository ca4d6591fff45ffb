// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "kernels/template/kernel_template.h"

namespace stitch::kernels {

// cumsum cumprod cummax cummin logcumsumexp.
std::unique_ptr<KernelTemplate> make_scan();

}  // namespace stitch::kernels
