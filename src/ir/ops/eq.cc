// SPDX-License-Identifier: Apache-2.0
// a == b, as bool.
#include "ir/ops/support/pointwise.h"

namespace stitch::ir {

OpDef eq_def() {
  return pointwise(ElementRule::kCompare, [](double a, double b) { return a == b ? 1.0 : 0.0; });
}

}  // namespace stitch::ir
