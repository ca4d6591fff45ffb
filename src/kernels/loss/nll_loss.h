// SPDX-License-Identifier: Apache-2.0
// runtime/kernels/loss: negative log-likelihood of target classes, reduced or one by one.
#pragma once

#include "kernels/template/kernel_template.h"

namespace stitch::kernels {

std::unique_ptr<KernelTemplate> make_nll_loss();

}  // namespace stitch::kernels
