// SPDX-License-Identifier: Apache-2.0
// What losses share: the last step from a tensor of losses to none, the mean or the sum of them.
#pragma once

#include <string>

#include "frontend/exported/call.h"

namespace stitch::frontend {

// "none", "mean" or "sum": ATen numbers the reductions.
Result<std::string> reduction_argument(Call& call, size_t position);

// The losses as they are, their mean or their sum.
Converted reduced(Call& call, ValueId losses, const std::string& reduction);

}  // namespace stitch::frontend
