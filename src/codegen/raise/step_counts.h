// SPDX-License-Identifier: Apache-2.0
// What a step counts at the planned sizes, what bounds it, and why its setting was taken, in words. It stands in
// program.cu: a step's own file is the same for all sizes.
#pragma once

#include <string>
#include <vector>

#include "plan/plan.h"

namespace stitch::codegen {

std::vector<std::string> counts_in_words(const plan::Plan& plan, size_t index);

}  // namespace stitch::codegen
