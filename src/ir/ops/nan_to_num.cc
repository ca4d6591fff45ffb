// SPDX-License-Identifier: Apache-2.0
// Numbers in place of NaN and the infinities; the frontend gives the element type's own bounds where none are asked
// for.
#include <cmath>

#include "ir/ops/support/pointwise.h"

namespace stitch::ir {

OpDef nan_to_num_def() {
  return pointwise(
      ElementRule::kFloatingPoint,
      {{"nan", AttributeKind::kDouble}, {"posinf", AttributeKind::kDouble}, {"neginf", AttributeKind::kDouble}},
      [](const Node& node, std::span<const double> operands) {
        const double x = operands[0];
        if (std::isnan(x)) {
          return double_attribute(node, "nan");
        }
        return std::isinf(x) ? double_attribute(node, x > 0.0 ? "posinf" : "neginf") : x;
      });
}

}  // namespace stitch::ir
