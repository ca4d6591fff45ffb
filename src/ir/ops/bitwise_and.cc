// SPDX-License-Identifier: Apache-2.0
// Bits that both have.
#include "ir/ops/support/bits.h"
#include "ir/ops/support/pointwise.h"

namespace stitch::ir {

OpDef bitwise_and_def() {
  return pointwise(ElementRule::kInteger, [](double a, double b) {
    return on_bits(a, b, [](int64_t left, int64_t right) { return left & right; });
  });
}

}  // namespace stitch::ir
