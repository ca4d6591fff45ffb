// SPDX-License-Identifier: Apache-2.0
// clamp and hardtanh: the same operator under PyTorch's two names.
#pragma once

#include "ir/ops.h"

namespace stitch::ir {

// x held within the attributes [min, max]; max wins where they cross. NaN stays NaN.
OpDef held_between_bounds();

}  // namespace stitch::ir
