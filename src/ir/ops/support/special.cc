// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/support/special.h"

#include <cmath>
#include <limits>

namespace stitch::ir {
namespace {

constexpr double kPi = 3.14159265358979323846;

}  // namespace

double inverse_erf(double x) {
  if (!(std::fabs(x) < 1.0)) {
    return std::fabs(x) == 1.0 ? x * std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
  }
  constexpr double kShape = 0.147;
  const double logarithm = std::log1p(-x * x);
  const double half = 2.0 / (kPi * kShape) + logarithm / 2.0;
  double y = std::sqrt(std::sqrt(half * half - logarithm / kShape) - half);
  const double magnitude = std::fabs(x);
  for (int step = 0; step < 4; ++step) {
    // By erfc, since near 1 erf has no digits left; near 0 it is erfc that has none.
    const double beyond = magnitude < 0.5 ? magnitude - std::erf(y) : std::erfc(y) - (1.0 - magnitude);
    y += beyond / (2.0 / std::sqrt(kPi) * std::exp(-y * y));
  }
  return std::copysign(y, x);
}

double scaled_erfc(double x) {
  constexpr double kLarge = 8.0;
  if (!(x >= kLarge)) {
    return std::exp(x * x) * std::erfc(x);
  }
  // The continued fraction of Laplace; fewer terms are enough the larger x is.
  double fraction = x;
  for (int term = 40; term > 0; --term) {
    fraction = x + term / 2.0 / fraction;
  }
  return 1.0 / (std::sqrt(kPi) * fraction);
}

double digamma(double x) {
  if (x == 0.0) {
    return std::copysign(std::numeric_limits<double>::infinity(), -x);
  }
  if (x < 0.0) {
    if (x == std::trunc(x)) {
      return std::numeric_limits<double>::quiet_NaN();
    }
    return digamma(1.0 - x) - kPi / std::tan(kPi * (x - std::trunc(x)));
  }
  double sum = 0.0;
  while (x < 10.0) {
    sum -= 1.0 / x;
    x += 1.0;
  }
  const double z = 1.0 / (x * x);
  const double series =
      z * (1.0 / 12 - z * (1.0 / 120 - z * (1.0 / 252 - z * (1.0 / 240 - z * (1.0 / 132 - z * (691.0 / 32760))))));
  return sum + std::log(x) - 0.5 / x - series;
}

}  // namespace stitch::ir
