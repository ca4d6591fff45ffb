// SPDX-License-Identifier: Apache-2.0
// runtime/kernels/norm/layer_norm.cuh: layer normalisation over the trailing axes.
#pragma once

#include "kernels/template/kernel_template.h"

namespace stitch::kernels {

std::unique_ptr<KernelTemplate> make_layer_norm();

}  // namespace stitch::kernels
