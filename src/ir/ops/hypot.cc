// SPDX-License-Identifier: Apache-2.0
// sqrt(a a + b b) without overflow on the way.
#include <cmath>

#include "ir/ops/support/pointwise.h"

namespace stitch::ir {

OpDef hypot_def() {
  return pointwise(ElementRule::kFloatingPoint, [](double a, double b) { return std::hypot(a, b); });
}

}  // namespace stitch::ir
