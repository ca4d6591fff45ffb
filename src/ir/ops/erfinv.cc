// SPDX-License-Identifier: Apache-2.0
// The inverse of erf; infinite at -1 and 1, NaN beyond.
#include "ir/ops/support/pointwise.h"
#include "ir/ops/support/special.h"

namespace stitch::ir {

OpDef erfinv_def() {
  return pointwise(ElementRule::kFloatingPoint, [](double x) { return inverse_erf(x); });
}

}  // namespace stitch::ir
