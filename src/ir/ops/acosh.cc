// SPDX-License-Identifier: Apache-2.0
// Inverse hyperbolic cosine; NaN below 1.
#include <cmath>

#include "ir/ops/support/pointwise.h"

namespace stitch::ir {

OpDef acosh_def() {
  return pointwise(ElementRule::kFloatingPoint, [](double x) { return std::acosh(x); });
}

}  // namespace stitch::ir
