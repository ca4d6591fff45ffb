// SPDX-License-Identifier: Apache-2.0
#include "kernels/written/node_work.h"

#include <optional>

#include "ir/graph/op.h"

namespace stitch::kernels {
namespace {

// Of a node that reads all its operands from memory; nothing where no kernel takes it so.
std::optional<Work> work_alone(const ir::Graph& graph, ir::NodeId id, FindTemplate template_for) {
  const ir::Node& node = graph.node(id);
  const KernelTemplate* kernel = template_for(graph, node);
  if (kernel == nullptr) {
    return std::nullopt;
  }
  std::set<ir::ValueId> stored;
  for (const ir::Operand& operand : node.operands) {
    if (ir::is_tensor(operand)) {
      stored.insert(std::get<ir::ValueId>(operand));
    }
  }
  const Group alone = make_group(graph, id, {id}, stored, node.outputs);
  std::optional<Work> least;
  for (const Setting& setting : kernel->space(alone, known_devices().front(), MathMode::kFp32)) {
    const Work work = kernel->work(alone, setting);
    if (!least.has_value() || work.flops < least->flops) {
      least = work;
    }
  }
  return least;
}

}  // namespace

Work work_of_nodes(const Group& group, FindTemplate template_for) {
  Work total;
  total.bytes = min_bytes(group);
  double largest = 0;
  for (const ir::NodeId id : group.nodes) {
    const ir::Node& node = group.graph->node(id);
    if (is_view(node) || is_generated(node)) {
      continue;
    }
    const std::optional<Work> work = work_alone(*group.graph, id, template_for);
    if (!work.has_value()) {
      continue;
    }
    total.flops += work->flops;
    total.lane_operations += work->lane_operations;
    if (work->flops > largest) {
      largest = work->flops;
      total.pipe = work->pipe;
    }
  }
  return total;
}

}  // namespace stitch::kernels
