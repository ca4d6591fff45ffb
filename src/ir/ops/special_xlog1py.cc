// SPDX-License-Identifier: Apache-2.0
// x log(1 + y), 0 where x is zero unless y is NaN.
#include <cmath>

#include "ir/ops/support/pointwise.h"

namespace stitch::ir {

OpDef special_xlog1py_def() {
  return pointwise(ElementRule::kFloatingPoint,
                   [](double x, double y) { return x == 0.0 && !std::isnan(y) ? 0.0 : x * std::log1p(y); });
}

}  // namespace stitch::ir
