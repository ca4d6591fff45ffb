// SPDX-License-Identifier: Apache-2.0
// What is left of a after whole multiples of b towards zero: the sign is that of a.
#include <cmath>

#include "ir/ops/support/pointwise.h"

namespace stitch::ir {

OpDef fmod_def() {
  return pointwise(ElementRule::kNumber, [](double a, double b) { return std::fmod(a, b); });
}

}  // namespace stitch::ir
