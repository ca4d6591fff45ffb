// SPDX-License-Identifier: Apache-2.0
// The largest element up to each one along dim, and the last position it stands at. A NaN stays.
#include "ir/ops/support/row_axis.h"

namespace stitch::ir {

OpDef cummax_def() { return running_extreme(true); }

}  // namespace stitch::ir
