// SPDX-License-Identifier: Apache-2.0
// The k largest (or smallest) elements along dim in order, and where they stood. NaN is the greatest; of equal
// elements the first are taken.
#include "ir/ops/support/order.h"

namespace stitch::ir {

OpDef topk_def() {
  return ordered(
      {{"k", AttributeKind::kInt}, {"dim", AttributeKind::kInt}, {"largest", AttributeKind::kBool}},
      [](const Node& node, int64_t) { return int_attribute(node, "k"); },
      [](const Node& node) { return bool_attribute(node, "largest"); });
}

}  // namespace stitch::ir
