// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "kernels/template/kernel_template.h"

namespace stitch::kernels {

// sort and topk along one axis.
std::unique_ptr<KernelTemplate> make_sort();

}  // namespace stitch::kernels
