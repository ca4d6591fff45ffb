// SPDX-License-Identifier: Apache-2.0
// From a towards b by a weight, computed from whichever end is nearer, so that weight 1 gives b itself.
#include "ir/ops/support/pointwise.h"

namespace stitch::ir {

OpDef lerp_def() {
  return pointwise(ElementRule::kFloatingPoint, {}, [](const Node&, std::span<const double> operands) {
    const double a = operands[0];
    const double b = operands[1];
    const double weight = operands[2];
    return weight < 0.5 ? a + weight * (b - a) : b - (b - a) * (1.0 - weight);
  });
}

}  // namespace stitch::ir
