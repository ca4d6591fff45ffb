// SPDX-License-Identifier: Apache-2.0
// The greatest common divisor, never negative; that of two zeros is zero.
#include <numeric>

#include "ir/ops/support/bits.h"
#include "ir/ops/support/pointwise.h"

namespace stitch::ir {

OpDef gcd_def() {
  return pointwise(ElementRule::kInteger, [](double a, double b) {
    return on_bits(a, b, [](int64_t left, int64_t right) { return std::gcd(left, right); });
  });
}

}  // namespace stitch::ir
