// SPDX-License-Identifier: Apache-2.0
// The sum over the axes dim.
#include <numeric>

#include "ir/ops/support/reduction.h"

namespace stitch::ir {

OpDef sum_def() {
  return reduction(ReductionRule::kNumber, {}, [](const Node&, std::span<const double> elements) {
    return std::accumulate(elements.begin(), elements.end(), 0.0);
  });
}

}  // namespace stitch::ir
