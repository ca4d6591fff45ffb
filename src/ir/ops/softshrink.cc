// SPDX-License-Identifier: Apache-2.0
// x moved towards zero by lambd, and no further than zero; NaN stays NaN.
#include "ir/ops/support/pointwise.h"

namespace stitch::ir {

OpDef softshrink_def() {
  return pointwise(ElementRule::kFloatingPoint, {{"lambd", AttributeKind::kDouble}},
                   [](const Node& node, std::span<const double> operands) {
                     const double x = operands[0];
                     const double lambd = double_attribute(node, "lambd");
                     return x > lambd ? x - lambd : (x < -lambd ? x + lambd : x * 0.0);
                   });
}

}  // namespace stitch::ir
