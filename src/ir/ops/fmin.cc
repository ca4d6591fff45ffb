// SPDX-License-Identifier: Apache-2.0
// The smaller; where one is NaN, the other.
#include <cmath>

#include "ir/ops/support/pointwise.h"

namespace stitch::ir {

OpDef fmin_def() {
  return pointwise(ElementRule::kNumber, [](double a, double b) { return std::fmin(a, b); });
}

}  // namespace stitch::ir
