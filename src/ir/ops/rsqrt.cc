// SPDX-License-Identifier: Apache-2.0
// 1 / sqrt(x).
#include <cmath>

#include "ir/ops/support/pointwise.h"

namespace stitch::ir {

OpDef rsqrt_def() {
  return pointwise(ElementRule::kFloatingPoint, [](double x) { return 1.0 / std::sqrt(x); });
}

}  // namespace stitch::ir
