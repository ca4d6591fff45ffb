// SPDX-License-Identifier: Apache-2.0
// Not.
#include "ir/ops/support/pointwise.h"

namespace stitch::ir {

OpDef logical_not_def() {
  return pointwise(ElementRule::kLogical, [](double x) { return x == 0.0 ? 1.0 : 0.0; });
}

}  // namespace stitch::ir
