// SPDX-License-Identifier: Apache-2.0
// 1 - erf(x) without cancellation.
#include <cmath>

#include "ir/ops/support/pointwise.h"

namespace stitch::ir {

OpDef erfc_def() {
  return pointwise(ElementRule::kFloatingPoint, [](double x) { return std::erfc(x); });
}

}  // namespace stitch::ir
