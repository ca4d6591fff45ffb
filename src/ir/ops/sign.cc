// SPDX-License-Identifier: Apache-2.0
// -1, 0 or 1. Of NaN it is 0, as in PyTorch.
#include <cmath>

#include "ir/ops/support/pointwise.h"

namespace stitch::ir {

OpDef sign_def() {
  return pointwise(ElementRule::kNumber,
                   [](double x) { return std::isnan(x) ? 0.0 : static_cast<double>((x > 0.0) - (x < 0.0)); });
}

}  // namespace stitch::ir
