// SPDX-License-Identifier: Apache-2.0
// a / b, the true quotient: PyTorch's promotion of integers is explicit by now.
#include "ir/ops/support/pointwise.h"

namespace stitch::ir {

OpDef div_def() {
  return pointwise(ElementRule::kFloatingPoint, [](double a, double b) { return a / b; });
}

}  // namespace stitch::ir
