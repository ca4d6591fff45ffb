// SPDX-License-Identifier: Apache-2.0
// Logarithm to base 10.
#include <cmath>

#include "ir/ops/support/pointwise.h"

namespace stitch::ir {

OpDef log10_def() {
  return pointwise(ElementRule::kFloatingPoint, [](double x) { return std::log10(x); });
}

}  // namespace stitch::ir
