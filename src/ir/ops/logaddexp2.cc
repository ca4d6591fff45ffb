// SPDX-License-Identifier: Apache-2.0
// log2(2^a + 2^b) without overflow.
#include <cmath>

#include "ir/ops/support/pointwise.h"

namespace stitch::ir {

OpDef logaddexp2_def() {
  return pointwise(ElementRule::kFloatingPoint, [](double a, double b) {
    if (std::isinf(a) && a == b) {
      return a;
    }
    return std::fmax(a, b) + std::log2(1.0 + std::exp2(-std::fabs(a - b)));
  });
}

}  // namespace stitch::ir
