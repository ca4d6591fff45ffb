// SPDX-License-Identifier: Apache-2.0
// runtime/kernels/softmax/row.cuh: softmax and log_softmax over any axis.
#pragma once

#include "kernels/template/kernel_template.h"

namespace stitch::kernels {

std::unique_ptr<KernelTemplate> make_softmax();

}  // namespace stitch::kernels
