// SPDX-License-Identifier: Apache-2.0
// Inverse hyperbolic tangent; infinite at -1 and 1.
#include <cmath>

#include "ir/ops/support/pointwise.h"

namespace stitch::ir {

OpDef atanh_def() {
  return pointwise(ElementRule::kFloatingPoint, [](double x) { return std::atanh(x); });
}

}  // namespace stitch::ir
