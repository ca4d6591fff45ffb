// SPDX-License-Identifier: Apache-2.0
// e to the x.
#include <cmath>

#include "ir/ops/support/pointwise.h"

namespace stitch::ir {

OpDef exp_def() {
  return pointwise(ElementRule::kFloatingPoint, [](double x) { return std::exp(x); });
}

}  // namespace stitch::ir
