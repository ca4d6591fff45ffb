// SPDX-License-Identifier: Apache-2.0
// clamp(x + 3, 0, 6) / 6.
#include <cmath>

#include "ir/ops/support/pointwise.h"

namespace stitch::ir {

OpDef hardsigmoid_def() {
  return pointwise(ElementRule::kFloatingPoint,
                   [](double x) { return std::isnan(x) ? x : std::fmin(std::fmax(x + 3.0, 0.0), 6.0) / 6.0; });
}

}  // namespace stitch::ir
