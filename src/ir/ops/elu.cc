// SPDX-License-Identifier: Apache-2.0
// scale * x above zero, scale * alpha * (exp(input_scale * x) - 1) below: ELU, SELU and CELU in one.
#include <cmath>

#include "ir/ops/support/pointwise.h"

namespace stitch::ir {

OpDef elu_def() {
  return pointwise(
      ElementRule::kFloatingPoint,
      {{"alpha", AttributeKind::kDouble}, {"scale", AttributeKind::kDouble}, {"input_scale", AttributeKind::kDouble}},
      [](const Node& node, std::span<const double> operands) {
        const double x = operands[0];
        const double scale = double_attribute(node, "scale");
        return x > 0.0
                   ? scale * x
                   : scale * double_attribute(node, "alpha") * std::expm1(x * double_attribute(node, "input_scale"));
      });
}

}  // namespace stitch::ir
