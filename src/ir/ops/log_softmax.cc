// SPDX-License-Identifier: Apache-2.0
// The logarithm of softmax along dim, without its underflow.
#include <cmath>

#include "ir/ops/support/softmax.h"

namespace stitch::ir {

OpDef log_softmax_def() {
  return softmax_like([](double x, double largest, double sum) { return x - largest - std::log(sum); });
}

}  // namespace stitch::ir
