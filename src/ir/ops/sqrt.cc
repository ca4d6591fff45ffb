// SPDX-License-Identifier: Apache-2.0
// Square root.
#include <cmath>

#include "ir/ops/support/pointwise.h"

namespace stitch::ir {

OpDef sqrt_def() {
  return pointwise(ElementRule::kFloatingPoint, [](double x) { return std::sqrt(x); });
}

}  // namespace stitch::ir
