// SPDX-License-Identifier: Apache-2.0
// softmax and log_softmax.
#include <cmath>

#include "ir/ops/support/softmax.h"

namespace stitch::ir {

// exp(x) over its sum along dim, computed from the distance to the largest.
OpDef softmax_def() {
  return softmax_like([](double x, double largest, double sum) { return std::exp(x - largest) / sum; });
}

// The logarithm of softmax along dim, without its underflow.
OpDef log_softmax_def() {
  return softmax_like([](double x, double largest, double sum) { return x - largest - std::log(sum); });
}

}  // namespace stitch::ir
