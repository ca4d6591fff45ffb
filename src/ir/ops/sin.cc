// SPDX-License-Identifier: Apache-2.0
// Sine of radians.
#include <cmath>

#include "ir/ops/support/pointwise.h"

namespace stitch::ir {

OpDef sin_def() {
  return pointwise(ElementRule::kFloatingPoint, [](double x) { return std::sin(x); });
}

}  // namespace stitch::ir
