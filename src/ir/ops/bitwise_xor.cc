// SPDX-License-Identifier: Apache-2.0
// Bits that one of the two has.
#include "ir/ops/support/bits.h"
#include "ir/ops/support/pointwise.h"

namespace stitch::ir {

OpDef bitwise_xor_def() {
  return pointwise(ElementRule::kInteger, [](double a, double b) {
    return on_bits(a, b, [](int64_t left, int64_t right) { return left ^ right; });
  });
}

}  // namespace stitch::ir
