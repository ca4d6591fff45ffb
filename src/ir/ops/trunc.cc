// SPDX-License-Identifier: Apache-2.0
// x without its fraction.
#include <cmath>

#include "ir/ops/support/pointwise.h"

namespace stitch::ir {

OpDef trunc_def() {
  return pointwise(ElementRule::kFloatingPoint, [](double x) { return std::trunc(x); });
}

}  // namespace stitch::ir
