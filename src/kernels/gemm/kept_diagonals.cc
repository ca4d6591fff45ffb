// SPDX-License-Identifier: Apache-2.0
#include "kernels/gemm/kept_diagonals.h"

#include <algorithm>

#include "ir/graph/op.h"
#include "kernels/expression/expression.h"

namespace stitch::kernels {
namespace {

// The only node of the group that reads `value`, once; nothing where there are others, or the value is a result.
const ir::Node* only_reader(const Group& group, ir::ValueId value) {
  if (std::find(group.results.begin(), group.results.end(), value) != group.results.end()) {
    return nullptr;
  }
  const ir::Node* reader = nullptr;
  int count = 0;
  for (const ir::NodeId id : group.nodes) {
    const ir::Node& node = group.graph->node(id);
    for (const ir::Operand& operand : node.operands) {
      if (ir::is_tensor(operand) && std::get<ir::ValueId>(operand) == value) {
        reader = &node;
        ++count;
      }
    }
  }
  return count == 1 ? reader : nullptr;
}

bool is_triangle(const ir::Node& node) { return node.op == ir::Op::kTriu || node.op == ir::Op::kTril; }

}  // namespace

double KeptDiagonals::share_of_tiles(int64_t rows, int64_t columns, int64_t tile_rows, int64_t tile_columns) const {
  const int64_t down = (rows + tile_rows - 1) / tile_rows;
  const int64_t across = (columns + tile_columns - 1) / tile_columns;
  if (are_all() || down * across == 0) {
    return 1;
  }
  int64_t kept = 0;
  for (int64_t row = 0; row < rows; row += tile_rows) {
    // Columns from the first to the last one of which this row of tiles has any.
    const int64_t first = std::max<int64_t>(row + least.value_or(-rows), 0);
    const int64_t last = std::min(row + tile_rows - 1 + greatest.value_or(columns), columns - 1);
    kept += first <= last ? last / tile_columns - first / tile_columns + 1 : 0;
  }
  return static_cast<double>(kept) / static_cast<double>(down * across);
}

KeptDiagonals kept_diagonals(const Group& group) {
  ir::ValueId value = group.root_node().outputs[0];
  const ir::Node* reader = only_reader(group, value);
  while (reader != nullptr && !is_triangle(*reader)) {
    const bool is_by_element = is_elementwise(*reader) && !is_look_up(*reader) &&
                               group.graph->type(reader->outputs[0]).shape == group.graph->type(value).shape;
    if (!is_by_element) {
      return {};
    }
    value = reader->outputs[0];
    reader = only_reader(group, value);
  }
  if (reader == nullptr) {
    return {};
  }
  const int64_t diagonal = ir::int_attribute(*reader, "diagonal");
  KeptDiagonals kept;
  (reader->op == ir::Op::kTriu ? kept.least : kept.greatest) = diagonal;
  return kept;
}

}  // namespace stitch::kernels
