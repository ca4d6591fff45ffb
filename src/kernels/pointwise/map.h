// SPDX-License-Identifier: Apache-2.0
// runtime/kernels/pointwise/map.cuh: one thread per element or group of neighbouring elements. Computes chains of
// pointwise operators, look-ups, generated tensors and copies of views.
#pragma once

#include "kernels/template/kernel_template.h"

namespace stitch::kernels {

std::unique_ptr<KernelTemplate> make_pointwise_map();

}  // namespace stitch::kernels
