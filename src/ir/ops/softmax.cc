// SPDX-License-Identifier: Apache-2.0
// exp(x) over its sum along dim, computed from the distance to the largest.
#include "ir/ops/support/softmax.h"

#include <cmath>

namespace stitch::ir {

OpDef softmax_def() {
  return softmax_like([](double x, double largest, double sum) { return std::exp(x - largest) / sum; });
}

}  // namespace stitch::ir
