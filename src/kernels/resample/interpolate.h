// SPDX-License-Identifier: Apache-2.0
// runtime/kernels/resample: nearest, linear and cubic resampling of one, two or three axes.
#pragma once

#include "kernels/template/kernel_template.h"

namespace stitch::kernels {

std::unique_ptr<KernelTemplate> make_interpolate();

}  // namespace stitch::kernels
