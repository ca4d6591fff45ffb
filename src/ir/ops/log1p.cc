// SPDX-License-Identifier: Apache-2.0
// log(1 + x), exact near 0.
#include <cmath>

#include "ir/ops/support/pointwise.h"

namespace stitch::ir {

OpDef log1p_def() {
  return pointwise(ElementRule::kFloatingPoint, [](double x) { return std::log1p(x); });
}

}  // namespace stitch::ir
