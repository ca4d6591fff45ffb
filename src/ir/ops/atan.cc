// SPDX-License-Identifier: Apache-2.0
// Arc tangent.
#include <cmath>

#include "ir/ops/support/pointwise.h"

namespace stitch::ir {

OpDef atan_def() {
  return pointwise(ElementRule::kFloatingPoint, [](double x) { return std::atan(x); });
}

}  // namespace stitch::ir
