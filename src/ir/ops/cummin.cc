// SPDX-License-Identifier: Apache-2.0
// The smallest element up to each one along dim, and the last position it stands at. A NaN stays.
#include "ir/ops/support/row_axis.h"

namespace stitch::ir {

OpDef cummin_def() { return running_extreme(false); }

}  // namespace stitch::ir
