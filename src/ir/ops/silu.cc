// SPDX-License-Identifier: Apache-2.0
// x * sigmoid(x).
#include <cmath>

#include "ir/ops/support/pointwise.h"

namespace stitch::ir {

OpDef silu_def() {
  return pointwise(ElementRule::kFloatingPoint, [](double x) { return x / (1.0 + std::exp(-x)); });
}

}  // namespace stitch::ir
