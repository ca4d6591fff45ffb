// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/support/bounds.h"

#include <fmt/format.h>

#include <cmath>

#include "ir/ops/support/checks.h"
#include "ir/ops/support/pointwise.h"

namespace stitch::ir {
namespace {

double held(double x, const Node& node) {
  return std::isnan(x) ? x : std::fmin(std::fmax(x, double_attribute(node, "min")), double_attribute(node, "max"));
}

}  // namespace

OpDef held_between_bounds() {
  OpDef def = pointwise(ElementRule::kNumber, {"min", "max"}, held);
  def.infer = [same = def.infer](const Graph& graph, const Node& node) -> Types {
    STITCH_ASSIGN(std::vector<TensorType> types, same(graph, node));
    for (const char* name : {"min", "max"}) {
      const double bound = double_attribute(node, name);
      STITCH_TRY(require(is_floating_point(types[0].dtype) || std::trunc(bound) == bound,
                         fmt::format("{} {} is no bound of integers", name, bound)));
    }
    return types;
  };
  return def;
}

}  // namespace stitch::ir
