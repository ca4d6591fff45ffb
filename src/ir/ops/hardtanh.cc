// SPDX-License-Identifier: Apache-2.0
// x held within [min, max]; relu6 is [0, 6].
#include "ir/ops/support/bounds.h"

namespace stitch::ir {

OpDef hardtanh_def() { return held_between_bounds(); }

}  // namespace stitch::ir
