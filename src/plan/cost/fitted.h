// SPDX-License-Identifier: Apache-2.0
// What estimates are multiplied by, launches apart: by device, skeleton and kind of setting, fitted to times that the
// tuner has measured (bench/kernels/fit writes fitted.def).
#pragma once

#include <string>
#include <string_view>

#include "kernels/template/device_limits.h"
#include "kernels/template/kernel_template.h"

namespace stitch::plan {

// A variant's name up to its sizes: "direct_tf32x3" of "direct_tf32x3_64x8".
std::string_view kind_of_variant(std::string_view variant);

// 1 where nobody has fitted anything.
double fitted_factor(std::string_view device, std::string_view skeleton, const kernels::Setting& setting);

// A step's estimate: that of its work (cost.h), as fitted.
double estimated_us(const kernels::KernelTemplate& kernel, const kernels::Setting& setting, const kernels::Work& work,
                    const kernels::DeviceLimits& limits);

}  // namespace stitch::plan
