// SPDX-License-Identifier: Apache-2.0
// log(exp(a) + exp(b)) without overflow.
#include <cmath>

#include "ir/ops/support/pointwise.h"

namespace stitch::ir {

OpDef logaddexp_def() {
  return pointwise(ElementRule::kFloatingPoint, [](double a, double b) {
    if (std::isinf(a) && a == b) {
      return a;
    }
    return std::fmax(a, b) + std::log1p(std::exp(-std::fabs(a - b)));
  });
}

}  // namespace stitch::ir
