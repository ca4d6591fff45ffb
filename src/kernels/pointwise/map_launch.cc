// SPDX-License-Identifier: Apache-2.0
#include "kernels/pointwise/map_launch.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/lowering/launch_text.h"

namespace stitch::kernels {
namespace {

constexpr size_t kLargestRank = 6;  // of launch_map

}  // namespace

Coordinate map_coordinate(const Domain& domain) {
  Coordinate at{"at", {}};
  for (size_t axis = 0; axis < domain.shape().size(); ++axis) {
    at.axes.push_back(static_cast<int>(axis));
  }
  return at;
}

Result<std::string> map_launch(StepBuilder& step, const FunctorText& functor, const std::string& variable,
                               const std::string& suffix) {
  const size_t rank = std::max<size_t>(functor.digits.size(), 1);
  if (rank > kLargestRank) {
    return failure(ErrorCode::kUnsupportedOperator,
                   fmt::format("the operands walk {} axes in different orders, a kernel takes {}", rank, kLargestRank));
  }
  std::string extents;
  std::string last = "1";
  for (size_t axis = 0; axis < functor.digits.size(); ++axis) {
    const std::string name = functor.digits.size() == 1 ? "elements" : fmt::format("axis_{}", axis);
    last = step.extent(name + suffix, functor.digits[axis].extent);
    extents += (axis == 0 ? "" : ", ") + last;
  }
  const std::string vectorised = prove_vectorised(step, last, {{&functor, variable}}, suffix);
  step.launch(fmt::format("const stitch::MapShape<{}> shape{}{{{{{}}}, {}}};", rank, suffix,
                          extents.empty() ? "1" : extents, vectorised));
  return fmt::format("stitch::launch_map<{}{}>({}, shape{}, stream)", rank, functor.takes_lanes ? "" : ", 1", variable,
                     suffix);
}

}  // namespace stitch::kernels
