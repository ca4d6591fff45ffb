// SPDX-License-Identifier: Apache-2.0
// argmax and argmin.
#pragma once

#include "ir/ops.h"

namespace stitch::ir {

// The first position, in the order of the axes `dim`, of the extreme element; of a NaN where there is one.
OpDef position_of_extreme(bool is_largest);

}  // namespace stitch::ir
