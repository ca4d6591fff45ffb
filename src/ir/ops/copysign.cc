// SPDX-License-Identifier: Apache-2.0
// The magnitude of a with the sign of b.
#include <cmath>

#include "ir/ops/support/pointwise.h"

namespace stitch::ir {

OpDef copysign_def() {
  return pointwise(ElementRule::kFloatingPoint, [](double a, double b) { return std::copysign(a, b); });
}

}  // namespace stitch::ir
