// SPDX-License-Identifier: Apache-2.0
// The smallest element over the axes dim; NaN where there is one.
#include <cmath>

#include "ir/ops/support/reduction.h"

namespace stitch::ir {

OpDef amin_def() {
  return reduction_of_some(ReductionRule::kAny, [](const Node&, std::span<const double> elements) {
    double smallest = elements[0];
    for (const double element : elements) {
      smallest = std::isnan(element) || element < smallest ? element : smallest;
    }
    return smallest;
  });
}

}  // namespace stitch::ir
