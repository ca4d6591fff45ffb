// SPDX-License-Identifier: Apache-2.0
// Hyperbolic cosine.
#include <cmath>

#include "ir/ops/support/pointwise.h"

namespace stitch::ir {

OpDef cosh_def() {
  return pointwise(ElementRule::kFloatingPoint, [](double x) { return std::cosh(x); });
}

}  // namespace stitch::ir
