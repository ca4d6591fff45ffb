// SPDX-License-Identifier: Apache-2.0
// Another element type. Towards integers the fraction is cut off; towards bool anything but zero is true. The reference
// rounds no floating-point value: it computes in double throughout.
#include <cmath>

#include "ir/ops/support/checks.h"
#include "ir/ops/support/pointwise.h"

namespace stitch::ir {
namespace {

double converted(double x, DataType dtype) {
  if (dtype == DataType::kBool) {
    return x != 0.0 ? 1.0 : 0.0;
  }
  if (is_floating_point(dtype)) {
    return x;
  }
  return wrapped_to(std::trunc(x), dtype);
}

}  // namespace

OpDef to_def() {
  OpDef def = pointwise(ElementRule::kAny, {{"dtype", AttributeKind::kDataType}},
                        [](const Node& node, std::span<const double> operands) {
                          return converted(operands[0], dtype_attribute(node, "dtype"));
                        });
  def.infer = [](const Graph& graph, const Node& node) -> Types {
    STITCH_ASSIGN(const TensorType* type, tensor_type(graph, node, 0));
    return std::vector<TensorType>{{dtype_attribute(node, "dtype"), type->shape}};
  };
  return def;
}

}  // namespace stitch::ir
