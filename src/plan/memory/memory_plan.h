// SPDX-License-Identifier: Apache-2.0
// Where every buffer and every step's scratch memory lies.
#pragma once

#include "plan/plan.h"

namespace stitch::plan {

// Sets the offsets of arena and prepared buffers and of scratch, and the plan's sizes. Steps are in their final order.
void place_buffers(Plan& plan);

}  // namespace stitch::plan
