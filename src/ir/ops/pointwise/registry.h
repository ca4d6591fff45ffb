// SPDX-License-Identifier: Apache-2.0
// The rows of pointwise.def as entries of the registry.
#pragma once

#include <span>

#include "ir/ops.h"

namespace stitch::ir {

// `by_op`: an entry for each operator, at its index.
void define_pointwise(std::span<OpDef> by_op);

}  // namespace stitch::ir
