// SPDX-License-Identifier: Apache-2.0
// a - b.
#include "ir/ops/support/pointwise.h"

namespace stitch::ir {

OpDef sub_def() {
  return pointwise(ElementRule::kNumber, [](double a, double b) { return a - b; });
}

}  // namespace stitch::ir
