// SPDX-License-Identifier: Apache-2.0
// The variance over the axes dim: squared distances from the mean over (count - correction).
#include <algorithm>
#include <numeric>

#include "ir/ops/support/reduction.h"

namespace stitch::ir {

OpDef var_def() {
  return reduction(ReductionRule::kFloatingPoint, {{"correction", AttributeKind::kInt}},
                   [](const Node& node, std::span<const double> elements) {
                     const auto count = static_cast<double>(elements.size());
                     const double mean = std::accumulate(elements.begin(), elements.end(), 0.0) / count;
                     double squares = 0.0;
                     for (const double element : elements) {
                       squares += (element - mean) * (element - mean);
                     }
                     return squares / std::max(0.0, count - static_cast<double>(int_attribute(node, "correction")));
                   });
}

}  // namespace stitch::ir
