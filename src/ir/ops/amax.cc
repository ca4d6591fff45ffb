// SPDX-License-Identifier: Apache-2.0
// The largest element over the axes dim; NaN where there is one.
#include <cmath>

#include "ir/ops/support/reduction.h"

namespace stitch::ir {

OpDef amax_def() {
  return reduction_of_some(ReductionRule::kAny, [](const Node&, std::span<const double> elements) {
    double largest = elements[0];
    for (const double element : elements) {
      largest = std::isnan(element) || element > largest ? element : largest;
    }
    return largest;
  });
}

}  // namespace stitch::ir
