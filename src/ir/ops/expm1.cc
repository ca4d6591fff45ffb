// SPDX-License-Identifier: Apache-2.0
// exp(x) - 1, exact near 0.
#include <cmath>

#include "ir/ops/support/pointwise.h"

namespace stitch::ir {

OpDef expm1_def() {
  return pointwise(ElementRule::kFloatingPoint, [](double x) { return std::expm1(x); });
}

}  // namespace stitch::ir
