// SPDX-License-Identifier: Apache-2.0
// Cosine of radians.
#include <cmath>

#include "ir/ops/support/pointwise.h"

namespace stitch::ir {

OpDef cos_def() {
  return pointwise(ElementRule::kFloatingPoint, [](double x) { return std::cos(x); });
}

}  // namespace stitch::ir
