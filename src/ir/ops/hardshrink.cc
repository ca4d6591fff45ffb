// SPDX-License-Identifier: Apache-2.0
// Zero within [-lambd, lambd], x outside; NaN stays NaN.
#include "ir/ops/support/pointwise.h"

namespace stitch::ir {

OpDef hardshrink_def() {
  return pointwise(ElementRule::kFloatingPoint, {{"lambd", AttributeKind::kDouble}},
                   [](const Node& node, std::span<const double> operands) {
                     const double x = operands[0];
                     const double lambd = double_attribute(node, "lambd");
                     return x >= -lambd && x <= lambd ? 0.0 : x;
                   });
}

}  // namespace stitch::ir
