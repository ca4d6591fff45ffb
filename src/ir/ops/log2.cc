// SPDX-License-Identifier: Apache-2.0
// Logarithm to base 2.
#include <cmath>

#include "ir/ops/support/pointwise.h"

namespace stitch::ir {

OpDef log2_def() {
  return pointwise(ElementRule::kFloatingPoint, [](double x) { return std::log2(x); });
}

}  // namespace stitch::ir
