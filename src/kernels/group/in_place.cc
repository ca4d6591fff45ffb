// SPDX-License-Identifier: Apache-2.0
#include "kernels/group/in_place.h"

#include <algorithm>

namespace stitch::kernels {

bool is_update_of_state(const ir::Graph& graph, const InPlace& in_place) {
  for (const ir::GraphOutput& output : graph.outputs) {
    for (const ir::GraphInput& input : graph.inputs) {
      if (output.role == TensorRole::kState && input.role == TensorRole::kState && input.binding == output.binding &&
          input.value == in_place.from && output.value == in_place.to) {
        return true;
      }
    }
  }
  return false;
}

int64_t uses(const ir::Node& node, ir::ValueId value) {
  return std::count_if(node.operands.begin(), node.operands.end(), [&](const ir::Operand& operand) {
    return ir::is_tensor(operand) && std::get<ir::ValueId>(operand) == value;
  });
}

}  // namespace stitch::kernels
