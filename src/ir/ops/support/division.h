// SPDX-License-Identifier: Apache-2.0
// Python's division of whole and other numbers, as PyTorch defines it.
#pragma once

#include <cmath>

namespace stitch::ir {

// With the sign of b.
inline double floored_remainder(double a, double b) {
  const double rest = std::fmod(a, b);
  return rest != 0.0 && (b < 0.0) != (rest < 0.0) ? rest + b : rest;
}

// From the remainder, so that the quotient is whole but for the rounding of one division.
inline double floored_quotient(double a, double b) {
  if (b == 0.0) {
    return a / b;
  }
  const double rest = std::fmod(a, b);
  const double cut = (a - rest) / b;
  const double quotient = rest != 0.0 && (b < 0.0) != (rest < 0.0) ? cut - 1.0 : cut;
  return quotient == 0.0 ? std::copysign(0.0, a / b) : std::floor(quotient + 0.5);
}

}  // namespace stitch::ir
