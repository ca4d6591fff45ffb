// SPDX-License-Identifier: Apache-2.0
// Power. Of integers too, where PyTorch allows no negative exponent.
#include <cmath>

#include "ir/ops/support/pointwise.h"

namespace stitch::ir {

OpDef pow_def() {
  return pointwise(ElementRule::kNumber, [](double base, double exponent) { return std::pow(base, exponent); });
}

}  // namespace stitch::ir
