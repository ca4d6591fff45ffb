// SPDX-License-Identifier: Apache-2.0
#include "kernels/pointwise/map_launch.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/lowering/launch_text.h"

namespace stitch::kernels {
namespace {

constexpr size_t kMaxRank = 6;  // of launch_map

// Adds the shape; returns its rank.
Result<size_t> add_map_shape(StepBuilder& step, const LoweredFunctor& functor, const std::string& variable,
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
  return rank;
}

// Of a skeleton that takes one lane where the functor cannot take more.
std::string with_lanes(size_t rank, const LoweredFunctor& functor) {
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
  STITCH_ASSIGN(const size_t rank, add_map_shape(step, functor, variable, suffix));
  return call(fmt::format("stitch::launch_map<{}>", with_lanes(rank, functor)),
              {named(variable), named("shape" + suffix), named("stream")});
}

std::optional<size_t> turned_axis(const LoweredFunctor& functor) {
  std::optional<size_t> axis;
  size_t most_terms = 0;  // whoever walks most axes has most elements, about
  for (const Access& access : functor.tree.accesses) {
    if (access.is_store || access.index.lane_stride != LaneStride::kOther || access.index.terms.size() <= most_terms) {
      continue;
    }
    for (const IndexTerm& term : access.index.terms) {
      if (term.has_unit_stride) {
        axis = term.digit;
        most_terms = access.index.terms.size();
      }
    }
  }
  return axis;
}

Result<Expr> turned_map_launch(StepBuilder& step, const LoweredFunctor& functor, const std::string& variable,
                               size_t axis) {
  STITCH_ASSIGN(const size_t rank, add_map_shape(step, functor, variable, ""));
  return call(fmt::format("stitch::launch_turned_map<{}, {}>", rank, axis),
              {named(variable), named("shape"), named("stream")});
}

Result<Expr> map_part(StepBuilder& step, const LoweredFunctor& functor, const std::string& variable,
                      const std::string& suffix) {
  STITCH_ASSIGN(const size_t rank, add_map_shape(step, functor, variable, suffix));
  return call(fmt::format("stitch::map_part<{}>", with_lanes(rank, functor)),
              {named(variable), named("shape" + suffix)});
}

}  // namespace stitch::kernels
