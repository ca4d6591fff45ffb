// SPDX-License-Identifier: Apache-2.0
// runtime/kernels/norm/layer_norm_pool.cuh: layer normalisation over the last axis whose result is pooled in registers,
// by windows that lie side by side.
#pragma once

#include <memory>

#include "kernels/template/kernel_template.h"

namespace stitch::kernels {

// Its groups are made of a layer normalisation, which is the root, and of a pool that alone reads it.
constexpr const char* kPooledLayerNorm = "pooled_layer_norm";

std::unique_ptr<KernelTemplate> make_pooled_layer_norm();

}  // namespace stitch::kernels
