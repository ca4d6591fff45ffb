// SPDX-License-Identifier: Apache-2.0
// What is left of a after whole multiples of b downwards: the sign is that of b.
#include "ir/ops/support/division.h"
#include "ir/ops/support/pointwise.h"

namespace stitch::ir {

OpDef remainder_def() {
  return pointwise(ElementRule::kNumber, [](double a, double b) { return floored_remainder(a, b); });
}

}  // namespace stitch::ir
