// SPDX-License-Identifier: Apache-2.0
// A step's file for somebody else to fill in: its mathematics, tensors and extents by name, and the function that
// launches nothing yet.
#pragma once

#include <string>

#include "plan/plan.h"

namespace stitch::codegen {

// The file of a step behind the contract of written steps (kernels/written/written.h).
Result<std::string> skeleton_of(const plan::Plan& plan, size_t index);

}  // namespace stitch::codegen
