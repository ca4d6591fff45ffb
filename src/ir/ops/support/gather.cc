// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/support/gather.h"

namespace stitch::ir {

std::vector<ReferenceTensor> moved_elements(const Graph& graph, const Node& node, const ReferenceTensor& operand,
                                            const SourceIndex& source) {
  ReferenceTensor result = make_reference(output_type(graph, node));
  for (size_t i = 0; i < result.data.size(); ++i) {
    const Position position = position_of(static_cast<int64_t>(i), result.type.shape);
    const int64_t from = source(node, position, operand.type.shape);
    result.data[i] = from == kNoElement ? 0.0 : operand.data[static_cast<size_t>(from)];
  }
  return {result};
}

}  // namespace stitch::ir
