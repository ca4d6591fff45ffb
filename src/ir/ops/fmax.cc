// SPDX-License-Identifier: Apache-2.0
// The larger; where one is NaN, the other.
#include <cmath>

#include "ir/ops/support/pointwise.h"

namespace stitch::ir {

OpDef fmax_def() {
  return pointwise(ElementRule::kNumber, [](double a, double b) { return std::fmax(a, b); });
}

}  // namespace stitch::ir
