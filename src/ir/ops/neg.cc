// SPDX-License-Identifier: Apache-2.0
// -x.
#include "ir/ops/support/pointwise.h"

namespace stitch::ir {

OpDef neg_def() {
  return pointwise(ElementRule::kNumber, [](double x) { return -x; });
}

}  // namespace stitch::ir
