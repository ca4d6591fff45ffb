// SPDX-License-Identifier: Apache-2.0
// Arc sine; NaN outside [-1, 1].
#include <cmath>

#include "ir/ops/support/pointwise.h"

namespace stitch::ir {

OpDef asin_def() {
  return pointwise(ElementRule::kFloatingPoint, [](double x) { return std::asin(x); });
}

}  // namespace stitch::ir
