// SPDX-License-Identifier: Apache-2.0
// Inverse hyperbolic sine.
#include <cmath>

#include "ir/ops/support/pointwise.h"

namespace stitch::ir {

OpDef asinh_def() {
  return pointwise(ElementRule::kFloatingPoint, [](double x) { return std::asinh(x); });
}

}  // namespace stitch::ir
