// SPDX-License-Identifier: Apache-2.0
// Derivative of lgamma; at 0 an infinity of the other sign, at negative integers NaN.
#include "ir/ops/support/pointwise.h"
#include "ir/ops/support/special.h"

namespace stitch::ir {

OpDef digamma_def() {
  return pointwise(ElementRule::kFloatingPoint, [](double x) { return digamma(x); });
}

}  // namespace stitch::ir
