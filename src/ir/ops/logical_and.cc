// SPDX-License-Identifier: Apache-2.0
// Both.
#include "ir/ops/support/pointwise.h"

namespace stitch::ir {

OpDef logical_and_def() {
  return pointwise(ElementRule::kLogical, [](double a, double b) { return a != 0.0 && b != 0.0 ? 1.0 : 0.0; });
}

}  // namespace stitch::ir
