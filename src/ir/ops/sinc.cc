// SPDX-License-Identifier: Apache-2.0
// sin(pi x) / (pi x), 1 at zero.
#include <cmath>

#include "ir/ops/support/pointwise.h"

namespace stitch::ir {

OpDef sinc_def() {
  return pointwise(ElementRule::kFloatingPoint, [](double x) {
    constexpr double kPi = 3.14159265358979323846;
    return x == 0.0 ? 1.0 : std::sin(kPi * x) / (kPi * x);
  });
}

}  // namespace stitch::ir
