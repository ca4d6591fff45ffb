// SPDX-License-Identifier: Apache-2.0
// Natural logarithm.
#include <cmath>

#include "ir/ops/support/pointwise.h"

namespace stitch::ir {

OpDef log_def() {
  return pointwise(ElementRule::kFloatingPoint, [](double x) { return std::log(x); });
}

}  // namespace stitch::ir
