// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/support/order.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "ir/ops/support/row_axis.h"

namespace stitch::ir {

std::vector<size_t> sorted_positions(const std::vector<double>& line, bool is_descending) {
  std::vector<size_t> positions(line.size());
  std::iota(positions.begin(), positions.end(), size_t{0});
  const auto is_below = [](double a, double b) { return a < b || (!std::isnan(a) && std::isnan(b)); };
  std::stable_sort(positions.begin(), positions.end(), [&](size_t a, size_t b) {
    return is_descending ? is_below(line[b], line[a]) : is_below(line[a], line[b]);
  });
  return positions;
}

OpDef ordered(std::vector<AttributeDef> attributes, KeptCount kept, bool (*is_descending)(const Node& node)) {
  OpDef def{.attributes = std::move(attributes)};
  def.infer = [kept](const Graph& graph, const Node& node) -> Types {
    STITCH_ASSIGN(const TensorType* x, type_with_axis(graph, node));
    TensorType values = *x;
    int64_t& extent = values.shape[static_cast<size_t>(int_attribute(node, "dim"))];
    const int64_t wanted = kept(node, extent);
    STITCH_TRY(
        require(wanted >= 1 && wanted <= extent, fmt::format("{} of {} elements cannot be had", wanted, extent)));
    extent = wanted;
    return std::vector<TensorType>{values, {DataType::kInt64, values.shape}};
  };
  def.reference = [kept, is_descending](const Graph& graph, const Node& node, const auto& operands) {
    return line_by_line(graph, node, *operands[0], [&](const Node&, const auto& line, const auto& results) {
      const std::vector<size_t> positions = sorted_positions(line, is_descending(node));
      const auto count = static_cast<size_t>(kept(node, static_cast<int64_t>(line.size())));
      for (size_t rank = 0; rank < count; ++rank) {
        results[0]->push_back(line[positions[rank]]);
        results[1]->push_back(static_cast<double>(positions[rank]));
      }
    });
  };
  return def;
}

}  // namespace stitch::ir
