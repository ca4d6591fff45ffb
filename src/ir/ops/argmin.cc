// SPDX-License-Identifier: Apache-2.0
// Where the smallest element over the axes dim stands first, counted through these axes in their order.
#include "ir/ops/support/position_of_extreme.h"

namespace stitch::ir {

OpDef argmin_def() { return position_of_extreme(false); }

}  // namespace stitch::ir
