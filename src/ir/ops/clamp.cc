// SPDX-License-Identifier: Apache-2.0
// x held within [min, max], either of which may be infinite; NaN stays NaN.
#include <cmath>

#include "ir/ops/support/pointwise.h"

namespace stitch::ir {

OpDef clamp_def() {
  return pointwise(ElementRule::kNumber, {{"min", AttributeKind::kDouble}, {"max", AttributeKind::kDouble}},
                   [](const Node& node, std::span<const double> operands) {
                     const double x = operands[0];
                     return std::isnan(x)
                                ? x
                                : std::fmin(std::fmax(x, double_attribute(node, "min")), double_attribute(node, "max"));
                   });
}

}  // namespace stitch::ir
