// SPDX-License-Identifier: Apache-2.0
// a / b rounded down, from the remainder: of 1 and 0.1 it gives 9, as PyTorch does.
#include "ir/ops/support/division.h"
#include "ir/ops/support/pointwise.h"

namespace stitch::ir {

OpDef floor_divide_def() {
  return pointwise(ElementRule::kNumber, [](double a, double b) { return floored_quotient(a, b); });
}

}  // namespace stitch::ir
