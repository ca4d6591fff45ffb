// SPDX-License-Identifier: Apache-2.0
#include "kernels/template/kernel_template.h"

#include <algorithm>

#include "ir/graph/op.h"
#include "kernels/expression/expression.h"

namespace stitch::kernels {
namespace {

// How many elements of `value` the group's nodes look at.
int64_t elements_read(const Group& group, ir::ValueId value) {
  const ir::Graph& graph = *group.graph;
  const int64_t all = graph.type(value).element_count();
  int64_t read = 0;
  for (const ir::NodeId id : group.nodes) {
    const ir::Node& node = graph.node(id);
    for (size_t i = 0; i < node.operands.size(); ++i) {
      if (!ir::is_tensor(node.operands[i]) || std::get<ir::ValueId>(node.operands[i]) != value) {
        continue;
      }
      if (is_random(node)) {
        continue;  // looked at only where a caller hands numbers in
      }
      const bool is_part = node.op == ir::Op::kSlice || node.op == ir::Op::kSelect || (is_look_up(node) && i == 0);
      read += is_part ? graph.type(node.outputs[0]).element_count() : all;
    }
  }
  return std::min(read, all);
}

// A reshape of a view may have no affine index map; of something in memory it always has one.
std::vector<ir::ValueId> reshaped_views(const Group& group) {
  for (const ir::NodeId id : group.nodes) {
    const ir::Node& node = group.graph->node(id);
    if (node.op != ir::Op::kReshape) {
      continue;
    }
    const ir::ValueId operand = ir::tensor_operand(node, 0);
    if (group.computes(operand) && is_view(group.graph->node(group.graph->value(operand).producer))) {
      return {operand};
    }
  }
  return {};
}

}  // namespace

bool KernelTemplate::allows(const Group& group, const Setting& setting) const {
  const std::vector<Setting> offered = space(group, known_devices().front(), MathMode::kReduced);
  return setting.splits == 1 && std::any_of(offered.begin(), offered.end(),
                                            [&](const Setting& other) { return other.variant == setting.variant; });
}

bool KernelTemplate::allows_library(const Group& group, const Setting& setting) const {
  for (const MathMode math : {MathMode::kFp32, MathMode::kReduced}) {
    const std::vector<Setting> offered = library_space(group, known_devices().front(), math);
    if (std::find(offered.begin(), offered.end(), setting) != offered.end()) {
      return true;
    }
  }
  return false;
}

Fit KernelTemplate::fits(const Group& group) const {
  Fit fit;
  fit.store_first = store_first(group);
  if (!fit.store_first.empty()) {
    fit.reason = group.graph->value(fit.store_first[0]).name + " has to be in memory before " + name() + " can read it";
    return fit;
  }
  std::vector<Setting> settings = space(group, known_devices().front(), MathMode::kFp32);
  if (settings.empty()) {
    settings = space(group, known_devices().front(), MathMode::kReduced);
  }
  if (settings.empty()) {
    fit.reason = std::string(name()) + " has no setting for this";
    return fit;
  }
  const auto drafted = draft(group, settings.front());
  fit.ok = drafted.has_value();
  if (!fit.ok) {
    fit.reason = drafted.error().message;
    fit.store_first = reshaped_views(group);
  }
  return fit;
}

Result<StepShape> KernelTemplate::shape(const Group& group, const Setting& setting) const {
  STITCH_ASSIGN(StepDraft drafted, draft(group, setting));
  return std::move(drafted.shape);
}

double min_bytes(const Group& group) {
  const ir::Graph& graph = *group.graph;
  double bytes = 0;
  for (const ir::ValueId operand : group.operands) {
    bytes += static_cast<double>(elements_read(group, operand) * element_bytes(graph.type(operand).dtype));
  }
  for (const ir::ValueId result : group.results) {
    bytes += static_cast<double>(graph.type(result).bytes());
  }
  return bytes;
}

namespace {

// Of an element; of mish at its last node, in the place of what its parts would take.
double operations_of(const Group& group, const ir::Node& node) {
  const std::optional<Mish> mish = mish_of(*group.graph, node);
  if (!mish.has_value() || !group.computes(mish->softplus) || !group.computes(mish->tanh)) {
    return lane_operations(node);
  }
  const auto of_part = [&](ir::ValueId part) {
    return lane_operations(group.graph->node(group.graph->value(part).producer));
  };
  return kMishOperations - of_part(mish->softplus) - of_part(mish->tanh);
}

}  // namespace

double pointwise_operations(const Group& group) {
  double operations = 0;
  for (const ir::NodeId id : group.nodes) {
    const ir::Node& node = group.graph->node(id);
    if (is_elementwise(node)) {
      operations +=
          operations_of(group, node) * static_cast<double>(group.graph->type(node.outputs[0]).element_count());
    }
  }
  return operations;
}

}  // namespace stitch::kernels
