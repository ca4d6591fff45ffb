// SPDX-License-Identifier: Apache-2.0
// The angle of the point (b, a).
#include <cmath>

#include "ir/ops/support/pointwise.h"

namespace stitch::ir {

OpDef atan2_def() {
  return pointwise(ElementRule::kFloatingPoint, [](double a, double b) { return std::atan2(a, b); });
}

}  // namespace stitch::ir
