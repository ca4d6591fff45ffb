// SPDX-License-Identifier: Apache-2.0
#include "kernels/pointwise/map_launch.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/lowering/launch_text.h"

namespace stitch::kernels {
namespace {

constexpr size_t kMaxRank = 6;  // of launch_map

// Adds the shape; returns the arguments of the skeleton's template.
Result<std::string> add_map_shape(StepBuilder& step, const LoweredFunctor& functor, const std::string& variable,
                                  const std::string& suffix) {
  const size_t rank = std::max<size_t>(functor.digits.size(), 1);
  if (rank > kMaxRank) {
    return failure(ErrorCode::kUnsupportedOperator,
                   fmt::format("the operands walk {} axes in different orders, a kernel takes {}", rank, kMaxRank));
  }
  std::vector<Expr> extents;
  for (size_t axis = 0; axis < functor.digits.size(); ++axis) {
    const std::string name = functor.digits.size() == 1 ? "elements" : fmt::format("axis_{}", axis);
    extents.push_back(step.extent(name + suffix, functor.digits[axis].extent));
  }
  if (extents.empty()) {
    extents.push_back(literal_expr(int_literal(1)));
  }
  const Expr vectorised = prove_vectorised(step, extents.back(), {{&functor, variable}}, suffix);
  step.launch("const stitch::MapShape<{}> shape{}{{{}, {}}};", rank, suffix, aggregate("", extents), vectorised);
  return fmt::format("{}{}", rank, functor.tree.takes_lanes ? "" : ", 1");
}

}  // namespace

Coordinate map_coordinate(const Domain& domain) {
  Coordinate at{"at", {}};
  for (size_t axis = 0; axis < domain.shape().size(); ++axis) {
    at.axes.push_back(static_cast<int>(axis));
  }
  return at;
}

Result<Expr> map_launch(StepBuilder& step, const LoweredFunctor& functor, const std::string& variable,
                        const std::string& suffix) {
  STITCH_ASSIGN(const std::string arguments, add_map_shape(step, functor, variable, suffix));
  return call(fmt::format("stitch::launch_map<{}>", arguments),
              {named(variable), named("shape" + suffix), named("stream")});
}

Result<Expr> map_part(StepBuilder& step, const LoweredFunctor& functor, const std::string& variable,
                      const std::string& suffix) {
  STITCH_ASSIGN(const std::string arguments, add_map_shape(step, functor, variable, suffix));
  return call(fmt::format("stitch::map_part<{}>", arguments), {named(variable), named("shape" + suffix)});
}

}  // namespace stitch::kernels
