// SPDX-License-Identifier: Apache-2.0
// Two to the power of x.
#include <cmath>

#include "ir/ops/support/pointwise.h"

namespace stitch::ir {

OpDef exp2_def() {
  return pointwise(ElementRule::kFloatingPoint, [](double x) { return std::exp2(x); });
}

}  // namespace stitch::ir
