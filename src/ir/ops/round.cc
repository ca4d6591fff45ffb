// SPDX-License-Identifier: Apache-2.0
// The nearest integer, halves to the even one.
#include <cmath>

#include "ir/ops/support/pointwise.h"

namespace stitch::ir {

OpDef round_def() {
  return pointwise(ElementRule::kFloatingPoint, [](double x) { return std::nearbyint(x); });
}

}  // namespace stitch::ir
