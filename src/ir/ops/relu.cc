// SPDX-License-Identifier: Apache-2.0
// max(x, 0); NaN stays NaN.
#include "ir/ops/support/pointwise.h"

namespace stitch::ir {

OpDef relu_def() {
  return pointwise(ElementRule::kNumber, [](double x) { return x < 0.0 ? 0.0 : x; });
}

}  // namespace stitch::ir
