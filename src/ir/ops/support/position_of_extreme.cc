// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/support/position_of_extreme.h"

#include <cmath>

#include "ir/ops/support/checks.h"
#include "ir/ops/support/reduction.h"

namespace stitch::ir {

OpDef position_of_extreme(bool is_largest) {
  OpDef def = reduction_of_some(ReductionRule::kAny, [is_largest](const Node&, std::span<const double> elements) {
    size_t at = 0;
    for (size_t i = 1; i < elements.size() && !std::isnan(elements[at]); ++i) {
      const bool is_better = is_largest ? elements[i] > elements[at] : elements[i] < elements[at];
      at = std::isnan(elements[i]) || is_better ? i : at;
    }
    return static_cast<double>(at);
  });
  def.infer = [same = def.infer](const Graph& graph, const Node& node) -> Types {
    STITCH_ASSIGN(std::vector<TensorType> types, same(graph, node));
    types[0].dtype = DataType::kInt64;
    return types;
  };
  return def;
}

}  // namespace stitch::ir
