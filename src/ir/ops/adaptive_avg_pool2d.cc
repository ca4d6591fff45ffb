// SPDX-License-Identifier: Apache-2.0
// Averages over windows that divide the input into output_size parts: part i of n covers [floor(i*extent/n),
// ceil((i+1)*extent/n)), so neighbours may overlap by one element.
#include <fmt/format.h>

#include "ir/ops/support/pool.h"

namespace stitch::ir {
namespace {

Types infer(const Graph& graph, const Node& node) {
  STITCH_ASSIGN(const TensorType* x, tensor_type(graph, node, 0));
  STITCH_TRY(require_floating_point(x->dtype));
  const size_t rank = x->shape.size();
  STITCH_TRY(require(rank == 3 || rank == 4, fmt::format("needs 3 or 4 axes, not {}", rank)));
  STITCH_ASSIGN(const auto output_size, pair_attribute(node, "output_size", 1));
  TensorType result = *x;
  result.shape[rank - 2] = output_size[0];
  result.shape[rank - 1] = output_size[1];
  return std::vector<TensorType>{result};
}

int64_t part_begin(int64_t part, int64_t parts, int64_t extent) { return part * extent / parts; }
int64_t part_end(int64_t part, int64_t parts, int64_t extent) { return ((part + 1) * extent + parts - 1) / parts; }

std::vector<ReferenceTensor> reference(const Graph& graph, const Node& node,
                                       const std::vector<const ReferenceTensor*>& operands) {
  const std::vector<int64_t>& shape = operands[0]->type.shape;
  const int64_t height = shape[shape.size() - 2];
  const int64_t width = shape.back();
  const std::vector<int64_t>& parts = ints_attribute(node, "output_size");
  return reference_pool(graph, node, *operands[0], [&](const double* plane, int64_t out_row, int64_t out_column) {
    double sum = 0.0;
    int64_t count = 0;
    for (int64_t row = part_begin(out_row, parts[0], height); row < part_end(out_row, parts[0], height); ++row) {
      const int64_t end = part_end(out_column, parts[1], width);
      for (int64_t column = part_begin(out_column, parts[1], width); column < end; ++column) {
        sum += plane[row * width + column];
        ++count;
      }
    }
    return sum / static_cast<double>(count);
  });
}

}  // namespace

OpDef adaptive_avg_pool2d_def() {
  return {.attributes = {{"output_size", AttributeKind::kInts}}, .infer = infer, .reference = reference};
}

}  // namespace stitch::ir
