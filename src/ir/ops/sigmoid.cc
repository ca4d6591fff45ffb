// SPDX-License-Identifier: Apache-2.0
// 1 / (1 + exp(-x)).
#include <cmath>

#include "ir/ops/support/pointwise.h"

namespace stitch::ir {

OpDef sigmoid_def() {
  return pointwise(ElementRule::kFloatingPoint, [](double x) { return 1.0 / (1.0 + std::exp(-x)); });
}

}  // namespace stitch::ir
