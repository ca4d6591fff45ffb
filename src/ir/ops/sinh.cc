// SPDX-License-Identifier: Apache-2.0
// Hyperbolic sine.
#include <cmath>

#include "ir/ops/support/pointwise.h"

namespace stitch::ir {

OpDef sinh_def() {
  return pointwise(ElementRule::kFloatingPoint, [](double x) { return std::sinh(x); });
}

}  // namespace stitch::ir
