// SPDX-License-Identifier: Apache-2.0
// a + b. PyTorch's alpha is a mul of its own by now.
#include "ir/ops/support/pointwise.h"

namespace stitch::ir {

OpDef add_def() {
  return pointwise(ElementRule::kNumber, [](double a, double b) { return a + b; });
}

}  // namespace stitch::ir
