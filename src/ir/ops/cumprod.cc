// SPDX-License-Identifier: Apache-2.0
// The product of all elements up to each one along dim.
#include "ir/ops/support/row_axis.h"

namespace stitch::ir {

OpDef cumprod_def() {
  return running(RunningRule::kNumber, [](double total, double next) { return total * next; }, 1.0);
}

}  // namespace stitch::ir
