// SPDX-License-Identifier: Apache-2.0
// The sum of all elements up to each one along dim.
#include "ir/ops/support/row_axis.h"

namespace stitch::ir {

OpDef cumsum_def() {
  return running(RunningRule::kNumber, [](double total, double next) { return total + next; }, 0.0);
}

}  // namespace stitch::ir
