// SPDX-License-Identifier: Apache-2.0
#include "kernels/group/group.h"

#include <algorithm>
#include <functional>

#include "ir/graph/op.h"
#include "ir/ops.h"

namespace stitch::kernels {

bool Group::contains(ir::NodeId node) const { return std::binary_search(nodes.begin(), nodes.end(), node); }

bool Group::computes(ir::ValueId value) const {
  const ir::NodeId producer = graph->value(value).producer;
  return producer.is_valid() && contains(producer) && !reads(value);
}

bool Group::reads(ir::ValueId value) const {
  return std::find(operands.begin(), operands.end(), value) != operands.end();
}

bool Group::makes(ir::ValueId value) const { return std::find(results.begin(), results.end(), value) != results.end(); }

const InWhole* Group::place_of(ir::ValueId value) const {
  const auto found =
      std::find_if(in_whole.begin(), in_whole.end(), [&](const InWhole& each) { return each.part == value; });
  return found == in_whole.end() ? nullptr : &*found;
}

const std::vector<int64_t>& Group::memory_shape(ir::ValueId value) const {
  const InWhole* place = place_of(value);
  return graph->type(place != nullptr && place->whole.has_value() ? *place->whole : value).shape;
}

bool is_parameter(const ir::Graph& graph, ir::ValueId value) {
  return std::any_of(graph.inputs.begin(), graph.inputs.end(), [&](const ir::GraphInput& input) {
    return input.value == value && input.role == TensorRole::kParameter;
  });
}

bool is_given_weight(const ir::Graph& graph, ir::ValueId value) {
  const ir::NodeId producer = graph.value(value).producer;
  if (!producer.is_valid()) {
    return is_parameter(graph, value);
  }
  const ir::Node& node = graph.node(producer);
  const bool is_returned = std::any_of(graph.outputs.begin(), graph.outputs.end(),
                                       [&](const ir::GraphOutput& output) { return output.value == value; });
  return node.op == ir::Op::kCat && !is_returned &&
         std::all_of(node.operands.begin(), node.operands.end(), [&](const ir::Operand& part) {
           return ir::is_tensor(part) && is_parameter(graph, std::get<ir::ValueId>(part));
         });
}

bool is_view(const ir::Node& node) {
  const ir::OpDef* def = ir::find_op(node.op);
  return def != nullptr && def->family == ir::OpFamily::kView;
}

bool is_generated(const ir::Node& node) {
  const ir::OpDef* def = ir::find_op(node.op);
  return def != nullptr && def->family == ir::OpFamily::kCreation && !is_random(node);
}

bool is_elementwise(const ir::Node& node) {
  const ir::OpDef* def = ir::find_op(node.op);
  return def != nullptr &&
         (def->family == ir::OpFamily::kPointwise || def->family == ir::OpFamily::kGather || node.op == ir::Op::kPad ||
          is_random(node) || node.op == ir::Op::kTril || node.op == ir::Op::kTriu);
}

bool is_random(const ir::Node& node) { return node.op == ir::Op::kUniform || node.op == ir::Op::kNormal; }

bool is_look_up(const ir::Node& node) {
  const ir::OpDef* def = ir::find_op(node.op);
  return def != nullptr && (def->family == ir::OpFamily::kGather || node.op == ir::Op::kPad);
}

Group make_group(const ir::Graph& graph, ir::NodeId root, const std::vector<ir::NodeId>& nodes,
                 const std::set<ir::ValueId>& stored, std::vector<ir::ValueId> results) {
  Group group{&graph, root, {}, {}, std::move(results)};
  const std::set<ir::NodeId> chosen(nodes.begin(), nodes.end());
  std::set<ir::NodeId> members;
  // A stored value is read, unless the group itself is what computes it.
  const std::function<void(ir::ValueId)> look_through = [&](ir::ValueId value) {
    const ir::NodeId producer = graph.value(value).producer;
    if (producer.is_valid() && chosen.count(producer) > 0) {
      return;
    }
    const bool is_repeated =
        producer.is_valid() && (is_view(graph.node(producer)) || is_generated(graph.node(producer)));
    if (!is_repeated || stored.count(value) > 0) {
      if (!group.reads(value)) {
        group.operands.push_back(value);
      }
      return;
    }
    if (members.insert(producer).second) {
      for (const ir::Operand& operand : graph.node(producer).operands) {
        if (ir::is_tensor(operand)) {
          look_through(std::get<ir::ValueId>(operand));
        }
      }
    }
  };
  for (const ir::NodeId node : chosen) {
    members.insert(node);
    for (const ir::Operand& operand : graph.node(node).operands) {
      if (ir::is_tensor(operand)) {
        look_through(std::get<ir::ValueId>(operand));
      }
    }
  }
  group.nodes.assign(members.begin(), members.end());
  return group;
}

}  // namespace stitch::kernels
