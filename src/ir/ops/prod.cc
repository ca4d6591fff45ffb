// SPDX-License-Identifier: Apache-2.0
// The product over the axes dim.
#include <numeric>

#include "ir/ops/support/reduction.h"

namespace stitch::ir {

OpDef prod_def() {
  return reduction(ReductionRule::kNumber, {}, [](const Node&, std::span<const double> elements) {
    return std::accumulate(elements.begin(), elements.end(), 1.0, std::multiplies<>());
  });
}

}  // namespace stitch::ir
