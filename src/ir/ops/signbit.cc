// SPDX-License-Identifier: Apache-2.0
// Whether the sign bit is set: true of -0 too.
#include <cmath>

#include "ir/ops/support/pointwise.h"

namespace stitch::ir {

OpDef signbit_def() {
  return pointwise(ElementRule::kCompare, [](double x) { return std::signbit(x) ? 1.0 : 0.0; });
}

}  // namespace stitch::ir
