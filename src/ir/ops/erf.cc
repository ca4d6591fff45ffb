// SPDX-License-Identifier: Apache-2.0
// The error function.
#include <cmath>

#include "ir/ops/support/pointwise.h"

namespace stitch::ir {

OpDef erf_def() {
  return pointwise(ElementRule::kFloatingPoint, [](double x) { return std::erf(x); });
}

}  // namespace stitch::ir
