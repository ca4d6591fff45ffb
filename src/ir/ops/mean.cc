// SPDX-License-Identifier: Apache-2.0
// The mean over the axes dim.
#include <numeric>

#include "ir/ops/support/reduction.h"

namespace stitch::ir {

OpDef mean_def() {
  return reduction(ReductionRule::kFloatingPoint, {}, [](const Node&, std::span<const double> elements) {
    return std::accumulate(elements.begin(), elements.end(), 0.0) / static_cast<double>(elements.size());
  });
}

}  // namespace stitch::ir
