// SPDX-License-Identifier: Apache-2.0
// x held within [min, max], either of which may be infinite; NaN stays NaN. Bounds of integers are whole numbers.
#include "ir/ops/support/bounds.h"

namespace stitch::ir {

OpDef clamp_def() { return held_between_bounds(); }

}  // namespace stitch::ir
