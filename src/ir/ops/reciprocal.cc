// SPDX-License-Identifier: Apache-2.0
// 1 / x.
#include "ir/ops/support/pointwise.h"

namespace stitch::ir {

OpDef reciprocal_def() {
  return pointwise(ElementRule::kFloatingPoint, [](double x) { return 1.0 / x; });
}

}  // namespace stitch::ir
