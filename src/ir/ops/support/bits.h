// SPDX-License-Identifier: Apache-2.0
// Integers that the reference holds as doubles, as bits in two's complement.
#pragma once

#include <cstdint>

namespace stitch::ir {

template <typename Function>
double on_bits(double a, double b, const Function& function) {
  return static_cast<double>(function(static_cast<int64_t>(a), static_cast<int64_t>(b)));
}

}  // namespace stitch::ir
