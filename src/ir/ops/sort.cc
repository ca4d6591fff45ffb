// SPDX-License-Identifier: Apache-2.0
// All elements along dim in order, and where they stood. NaN is the greatest; equal elements keep their order.
#include "ir/ops/support/order.h"

namespace stitch::ir {

OpDef sort_def() {
  return ordered(
      {{"dim", AttributeKind::kInt}, {"descending", AttributeKind::kBool}},
      [](const Node&, int64_t extent) { return extent; },
      [](const Node& node) { return bool_attribute(node, "descending"); });
}

}  // namespace stitch::ir
