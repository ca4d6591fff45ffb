// SPDX-License-Identifier: Apache-2.0
#include "kernels/attention/limits.h"

namespace stitch::kernels {

bool has_group_attention(const std::string& architecture) { return architecture == "sm_90a"; }

bool flash_attention_takes(const ir::Graph& graph, const ir::Node& node) {
  constexpr size_t kMaxAxes = 4;
  const TensorType& query = graph.type(ir::tensor_operand(node, 0));
  const TensorType& value = graph.type(ir::tensor_operand(node, 2));
  return query.dtype != DataType::kFloat64 && is_floating_point(query.dtype) && query.shape.size() <= kMaxAxes &&
         query.shape.back() <= kMaxHeadDimension && value.shape.back() <= kMaxHeadDimension;
}

}  // namespace stitch::kernels
