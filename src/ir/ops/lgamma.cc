// SPDX-License-Identifier: Apache-2.0
// Logarithm of |gamma(x)|.
#include <cmath>

#include "ir/ops/support/pointwise.h"

namespace stitch::ir {

OpDef lgamma_def() {
  return pointwise(ElementRule::kFloatingPoint, [](double x) { return std::lgamma(x); });
}

}  // namespace stitch::ir
