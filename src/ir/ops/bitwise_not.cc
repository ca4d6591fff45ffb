// SPDX-License-Identifier: Apache-2.0
// Every bit turned over.
#include "ir/ops/support/pointwise.h"

namespace stitch::ir {

OpDef bitwise_not_def() {
  return pointwise(ElementRule::kInteger, [](double x) { return -x - 1.0; });
}

}  // namespace stitch::ir
