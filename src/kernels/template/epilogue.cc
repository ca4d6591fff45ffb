// SPDX-License-Identifier: Apache-2.0
#include "kernels/template/epilogue.h"

#include <algorithm>
#include <functional>
#include <set>

#include "ir/graph/op.h"

namespace stitch::kernels {

double large_operands_behind(const Group& group) {
  const ir::Graph& graph = *group.graph;
  std::set<ir::ValueId> before;
  const std::function<void(const ir::Node&)> walk = [&](const ir::Node& node) {
    for (const ir::Operand& operand : node.operands) {
      if (!ir::is_tensor(operand)) {
        continue;
      }
      const ir::ValueId value = std::get<ir::ValueId>(operand);
      if (before.insert(value).second && group.computes(value)) {
        walk(graph.node(graph.value(value).producer));
      }
    }
  };
  walk(group.root_node());
  const int64_t elements = graph.type(group.root_node().outputs[0]).element_count();
  return static_cast<double>(std::count_if(group.operands.begin(), group.operands.end(), [&](ir::ValueId operand) {
    return before.count(operand) == 0 && graph.type(operand).element_count() >= elements;
  }));
}

bool stores_apart(const Group& group) {
  return std::any_of(group.nodes.begin(), group.nodes.end(),
                     [&](ir::NodeId id) { return group.root < id && group.graph->node(id).op == ir::Op::kPermute; });
}

void add_waiting_work(const Group& group, double stores_of_thread, Work& work) {
  constexpr double kLatencyUs = 0.5;              // of memory, with many others asking
  constexpr double kBytesPerMicrosecond = 4.8e6;  // of the device that it was measured on
  constexpr double kMultiprocessors = 132;
  const double waves =
      std::max(1.0, static_cast<double>(work.blocks) / (kMultiprocessors * work.blocks_per_multiprocessor));
  work.serial_bytes += kBytesPerMicrosecond * kLatencyUs * waves * stores_of_thread * large_operands_behind(group);
}

}  // namespace stitch::kernels
