// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include "ir/ops/support/checks.h"
#include "ir/ops/support/pool.h"

namespace stitch::ir {
namespace {

// Calls visit(index in the plane) for each element of one part.
template <typename Visit>
void for_each_of_part(const std::vector<int64_t>& parts, const std::vector<int64_t>& extents, const Position& out,
                      const Visit& visit) {
  Position first;
  std::vector<int64_t> lengths;
  for (size_t axis = 0; axis < parts.size(); ++axis) {
    first.push_back(out[axis] * extents[axis] / parts[axis]);
    lengths.push_back(((out[axis] + 1) * extents[axis] + parts[axis] - 1) / parts[axis] - first.back());
  }
  for_each_position(lengths, [&](const Position& at) {
    Position in = first;
    for (size_t axis = 0; axis < in.size(); ++axis) {
      in[axis] += at[axis];
    }
    visit(index_of(in, extents));
  });
}

OpDef adaptive_def(size_t axes, bool indices, bool largest) {
  return {
      .attributes = {{"output_size", AttributeKind::kInts}},
      .infer = [axes, indices](const Graph& graph, const Node& node) -> Types {
        STITCH_ASSIGN(const TensorType type, adaptive_type(graph, node, axes));
        return with_indices(type, indices);
      },
      .reference =
          [axes, largest](const Graph& graph, const Node& node, const std::vector<const ReferenceTensor*>& operands) {
            const std::vector<int64_t>& parts = ints_attribute(node, "output_size");
            return reference_pool(
                graph, node, *operands[0], axes,
                [&](const double* plane, const std::vector<int64_t>& extents, const Position& out) -> Pooled {
                  Pooled best{-std::numeric_limits<double>::infinity(), -1};
                  double sum = 0.0;
                  int64_t count = 0;
                  for_each_of_part(parts, extents, out, [&](int64_t index) {
                    if (best.index < 0 || std::isnan(plane[index]) || plane[index] > best.value) {
                      best = {plane[index], index};
                    }
                    sum += plane[index];
                    ++count;
                  });
                  return largest ? best : Pooled{sum / static_cast<double>(count)};
                });
          }};
}

}  // namespace

OpDef adaptive_avg_pool_def(size_t axes) { return adaptive_def(axes, false, false); }
OpDef adaptive_max_pool_def(size_t axes, bool indices) { return adaptive_def(axes, indices, true); }

}  // namespace stitch::ir
