// SPDX-License-Identifier: Apache-2.0
// The larger; NaN where either is NaN.
#include <cmath>

#include "ir/ops/support/pointwise.h"

namespace stitch::ir {

OpDef maximum_def() {
  return pointwise(ElementRule::kAny, [](double a, double b) { return std::isnan(a) || a > b ? a : b; });
}

}  // namespace stitch::ir
