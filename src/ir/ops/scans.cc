// SPDX-License-Identifier: Apache-2.0
// Running sums, products and their like along one axis.
#include <cmath>
#include <limits>

#include "ir/ops/support/row_axis.h"

namespace stitch::ir {
namespace {

double joined(double total, double next) {
  const double larger = std::fmax(total, next);
  if (std::isnan(total) || std::isnan(next)) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  return std::isinf(larger) ? larger : larger + std::log1p(std::exp(std::fmin(total, next) - larger));
}

}  // namespace

// The sum of all elements up to each one along dim.
OpDef cumsum_def() {
  return running(
      RunningRule::kNumber, [](double total, double next) { return total + next; }, 0.0);
}

// The product of all elements up to each one along dim.
OpDef cumprod_def() {
  return running(
      RunningRule::kNumber, [](double total, double next) { return total * next; }, 1.0);
}

// log(sum(exp(x))) of all elements up to each one along dim, without overflow.
OpDef logcumsumexp_def() {
  return running(RunningRule::kFloatingPoint, joined, -std::numeric_limits<double>::infinity());
}

}  // namespace stitch::ir
