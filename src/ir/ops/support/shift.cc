// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/support/shift.h"

#include "ir/ops/support/index.h"
#include "ir/ops/support/pointwise.h"

namespace stitch::ir {

int64_t shifted_left(int64_t value, int64_t distance, int bits) {
  const bool keeps_any = distance >= 0 && distance < bits;
  return keeps_any ? static_cast<int64_t>(static_cast<uint64_t>(value) << static_cast<uint64_t>(distance)) : 0;
}

int64_t shifted_right(int64_t value, int64_t distance, int bits) {
  const bool keeps_any = distance >= 0 && distance < bits;
  return keeps_any ? value >> distance : (value < 0 ? -1 : 0);
}

OpDef shift(int64_t (*function)(int64_t value, int64_t distance, int bits)) {
  OpDef def = pointwise(ElementRule::kInteger, [](double a, double) { return a; });
  def.reference = [function](const Graph& graph, const Node& node, const auto& operands) {
    const DataType dtype = output_type(graph, node).dtype;
    const int bits = static_cast<int>(8 * element_bytes(dtype));
    return pointwise_reference(graph, node, operands, [=](const Node&, std::span<const double> elements) {
      const int64_t shifted = function(static_cast<int64_t>(elements[0]), static_cast<int64_t>(elements[1]), bits);
      return wrapped_to(static_cast<double>(shifted), dtype);
    });
  };
  return def;
}

}  // namespace stitch::ir
