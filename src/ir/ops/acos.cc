// SPDX-License-Identifier: Apache-2.0
// Arc cosine; NaN outside [-1, 1].
#include <cmath>

#include "ir/ops/support/pointwise.h"

namespace stitch::ir {

OpDef acos_def() {
  return pointwise(ElementRule::kFloatingPoint, [](double x) { return std::acos(x); });
}

}  // namespace stitch::ir
