// SPDX-License-Identifier: Apache-2.0
// log(1 + exp(beta * x)) / beta, and x itself where beta * x is above threshold.
#include <cmath>

#include "ir/ops/support/pointwise.h"

namespace stitch::ir {

OpDef softplus_def() {
  return pointwise(ElementRule::kFloatingPoint,
                   {{"beta", AttributeKind::kDouble}, {"threshold", AttributeKind::kDouble}},
                   [](const Node& node, std::span<const double> operands) {
                     const double x = operands[0];
                     const double beta = double_attribute(node, "beta");
                     return beta * x > double_attribute(node, "threshold") ? x : std::log1p(std::exp(beta * x)) / beta;
                   });
}

}  // namespace stitch::ir
