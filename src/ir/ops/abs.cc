// SPDX-License-Identifier: Apache-2.0
// |x|.
#include <cmath>

#include "ir/ops/support/pointwise.h"

namespace stitch::ir {

OpDef abs_def() {
  return pointwise(ElementRule::kNumber, [](double x) { return std::fabs(x); });
}

}  // namespace stitch::ir
