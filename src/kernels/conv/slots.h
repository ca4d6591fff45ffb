// SPDX-License-Identifier: Apache-2.0
// What epilogues cost where all warps of a block get there together.
#pragma once

#include "kernels/template/kernel_template.h"

namespace stitch::kernels {

// Behind all lane operations of the epilogue, which `work` counts.
void add_slots_of_epilogue(Work& work);

}  // namespace stitch::kernels
