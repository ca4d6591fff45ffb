// SPDX-License-Identifier: Apache-2.0
// x, scaled by negative_slope below zero.
#include "ir/ops/support/pointwise.h"

namespace stitch::ir {

OpDef leaky_relu_def() {
  return pointwise(ElementRule::kFloatingPoint, {{"negative_slope", AttributeKind::kDouble}},
                   [](const Node& node, std::span<const double> operands) {
                     const double x = operands[0];
                     return x > 0.0 ? x : x * double_attribute(node, "negative_slope");
                   });
}

}  // namespace stitch::ir
