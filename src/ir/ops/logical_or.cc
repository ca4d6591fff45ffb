// SPDX-License-Identifier: Apache-2.0
// Either.
#include "ir/ops/support/pointwise.h"

namespace stitch::ir {

OpDef logical_or_def() {
  return pointwise(ElementRule::kLogical, [](double a, double b) { return a != 0.0 || b != 0.0 ? 1.0 : 0.0; });
}

}  // namespace stitch::ir
