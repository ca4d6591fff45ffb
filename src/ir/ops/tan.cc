// SPDX-License-Identifier: Apache-2.0
// Tangent.
#include <cmath>

#include "ir/ops/support/pointwise.h"

namespace stitch::ir {

OpDef tan_def() {
  return pointwise(ElementRule::kFloatingPoint, [](double x) { return std::tan(x); });
}

}  // namespace stitch::ir
