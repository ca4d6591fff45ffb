// SPDX-License-Identifier: Apache-2.0
// Power. Of integers too, where a negative exponent has no meaning.
#include <cmath>

#include "ir/ops/support/checks.h"
#include "ir/ops/support/pointwise.h"

namespace stitch::ir {

OpDef pow_def() {
  OpDef def = pointwise(ElementRule::kNumber, [](double base, double exponent) { return std::pow(base, exponent); });
  def.infer = [same = def.infer](const Graph& graph, const Node& node) -> Types {
    const Scalar* scalar = std::get_if<Scalar>(&node.operands[1]);
    const int64_t* exponent = scalar == nullptr ? nullptr : std::get_if<int64_t>(scalar);
    STITCH_ASSIGN(std::vector<TensorType> types, same(graph, node));
    STITCH_TRY(require(is_floating_point(types[0].dtype) || exponent == nullptr || *exponent >= 0,
                       "integers have no negative powers"));
    return types;
  };
  return def;
}

}  // namespace stitch::ir
