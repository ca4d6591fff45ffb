// SPDX-License-Identifier: Apache-2.0
// a / b rounded towards zero: div with rounding_mode="trunc".
#include <cmath>

#include "ir/ops/support/pointwise.h"

namespace stitch::ir {

OpDef div_trunc_def() {
  return pointwise(ElementRule::kNumber, [](double a, double b) { return std::trunc(a / b); });
}

}  // namespace stitch::ir
