// SPDX-License-Identifier: Apache-2.0
#include "plan/partition/users.h"

#include "kernels/group/group.h"

namespace stitch::plan {

Users::Users(const ir::Graph& graph) : graph_(graph), direct_(graph.values.size()) {
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    for (const ir::Operand& operand : graph.nodes[i].operands) {
      if (ir::is_tensor(operand)) {
        auto& users = direct_[static_cast<size_t>(std::get<ir::ValueId>(operand).index)];
        const ir::NodeId node{static_cast<int32_t>(i)};
        if (users.empty() || users.back() != node) {
          users.push_back(node);
        }
      }
    }
  }
  for (const ir::GraphOutput& output : graph.outputs) {
    outputs_.insert(output.value);
  }
}

std::set<ir::NodeId> Users::through_views(ir::ValueId value, const std::function<bool(ir::NodeId)>& is_placed,
                                          bool* reaches_output) const {
  std::set<ir::NodeId> result;
  std::vector<ir::ValueId> todo = {value};
  while (!todo.empty()) {
    const ir::ValueId at = todo.back();
    todo.pop_back();
    if (reaches_output != nullptr && is_output(at)) {
      *reaches_output = true;
    }
    for (const ir::NodeId user : direct(at)) {
      if (kernels::is_view(graph_.node(user)) && !is_placed(user)) {
        todo.push_back(graph_.node(user).outputs[0]);
      } else {
        result.insert(user);
      }
    }
  }
  return result;
}

}  // namespace stitch::plan
