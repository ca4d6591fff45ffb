// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "kernels/template/kernel_template.h"

namespace stitch::kernels {

// scatter under all its reductions: sources are looked through, or put in buckets first.
std::unique_ptr<KernelTemplate> make_scatter();

}  // namespace stitch::kernels
