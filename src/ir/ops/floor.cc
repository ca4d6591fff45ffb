// SPDX-License-Identifier: Apache-2.0
// The largest integer not above x.
#include <cmath>

#include "ir/ops/support/pointwise.h"

namespace stitch::ir {

OpDef floor_def() {
  return pointwise(ElementRule::kFloatingPoint, [](double x) { return std::floor(x); });
}

}  // namespace stitch::ir
