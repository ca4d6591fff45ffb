// SPDX-License-Identifier: Apache-2.0
// x above the threshold, else a value; NaN stays NaN.
#include "ir/ops/support/pointwise.h"

namespace stitch::ir {

OpDef threshold_def() {
  return pointwise(ElementRule::kNumber, {{"threshold", AttributeKind::kDouble}, {"value", AttributeKind::kDouble}},
                   [](const Node& node, std::span<const double> operands) {
                     const double x = operands[0];
                     return x <= double_attribute(node, "threshold") ? double_attribute(node, "value") : x;
                   });
}

}  // namespace stitch::ir
