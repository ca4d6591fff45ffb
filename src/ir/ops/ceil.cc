// SPDX-License-Identifier: Apache-2.0
// The smallest integer not below x.
#include <cmath>

#include "ir/ops/support/pointwise.h"

namespace stitch::ir {

OpDef ceil_def() {
  return pointwise(ElementRule::kFloatingPoint, [](double x) { return std::ceil(x); });
}

}  // namespace stitch::ir
