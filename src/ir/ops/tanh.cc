// SPDX-License-Identifier: Apache-2.0
// Hyperbolic tangent.
#include <cmath>

#include "ir/ops/support/pointwise.h"

namespace stitch::ir {

OpDef tanh_def() {
  return pointwise(ElementRule::kFloatingPoint, [](double x) { return std::tanh(x); });
}

}  // namespace stitch::ir
