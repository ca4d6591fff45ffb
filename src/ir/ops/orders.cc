// SPDX-License-Identifier: Apache-2.0
// sort and topk.
#include "ir/ops/support/order.h"

namespace stitch::ir {

// All elements along dim in order, and where they stood. NaN is the greatest; equal elements keep their order.
OpDef sort_def() {
  return ordered(
      {{"dim", AttributeKind::kInt}, {"descending", AttributeKind::kBool}},
      [](const Node&, int64_t extent) { return extent; },
      [](const Node& node) { return bool_attribute(node, "descending"); });
}

// The k largest (or smallest) elements along dim in order, and where they stood. NaN is the greatest; of equal
// elements the first are taken.
OpDef topk_def() {
  return ordered(
      {{"k", AttributeKind::kInt}, {"dim", AttributeKind::kInt}, {"largest", AttributeKind::kBool}},
      [](const Node& node, int64_t) { return int_attribute(node, "k"); },
      [](const Node& node) { return bool_attribute(node, "largest"); });
}

}  // namespace stitch::ir
