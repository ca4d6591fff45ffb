// SPDX-License-Identifier: Apache-2.0
// Where the largest element over the axes dim stands first, counted through these axes in their order.
#include "ir/ops/support/position_of_extreme.h"

namespace stitch::ir {

OpDef argmax_def() { return position_of_extreme(true); }

}  // namespace stitch::ir
