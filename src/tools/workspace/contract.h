// SPDX-License-Identifier: Apache-2.0
// What a program's caller hands over and expects back, for whoever writes the program.
#pragma once

#include <string>

#include "plan/plan.h"

namespace stitch::tools {

// CONTRACT.md: the program's tensors in the order of the C interface, and what each step of the plan takes and gives.
std::string contract_text(const plan::Plan& plan);

}  // namespace stitch::tools
