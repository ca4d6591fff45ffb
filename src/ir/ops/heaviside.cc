// SPDX-License-Identifier: Apache-2.0
// 0 below zero, 1 above, `values` at zero; 0 for NaN.
#include "ir/ops/support/pointwise.h"

namespace stitch::ir {

OpDef heaviside_def() {
  return pointwise(ElementRule::kAny,
                   [](double x, double values) { return x == 0.0 ? values : (x > 0.0 ? 1.0 : 0.0); });
}

}  // namespace stitch::ir
