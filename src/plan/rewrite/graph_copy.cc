// SPDX-License-Identifier: Apache-2.0
#include "plan/rewrite/graph_copy.h"

namespace stitch::plan {

GraphCopy::GraphCopy(const ir::Graph& from) : from_(from), builder_(to_) {
  to_.name = from.name;
  to_.mode = from.mode;
  for (const ir::GraphInput& input : from.inputs) {
    const ir::Value& value = from.value(input.value);
    map_[input.value] = builder_.add_input(value.name, value.type, input.role, input.binding);
  }
}

ir::Node GraphCopy::mapped(const ir::Node& node) const {
  ir::Node result = node;
  result.outputs.clear();
  for (ir::Operand& operand : result.operands) {
    if (ir::is_tensor(operand)) {
      operand = map_.at(std::get<ir::ValueId>(operand));
    }
  }
  return result;
}

Result<void> GraphCopy::keep(const ir::Node& node) {
  std::vector<std::string> names;
  for (const ir::ValueId output : node.outputs) {
    names.push_back(from_.value(output).name);
  }
  STITCH_ASSIGN(const std::vector<ir::ValueId> outputs, builder_.add(mapped(node), names));
  for (size_t i = 0; i < outputs.size(); ++i) {
    map_[node.outputs[i]] = outputs[i];
  }
  return {};
}

Result<ir::ValueId> GraphCopy::add(ir::Node node, const std::string& name) {
  return builder_.add_one(std::move(node), name);
}

Result<std::vector<ir::ValueId>> GraphCopy::add_all(ir::Node node, const std::vector<std::string>& names) {
  return builder_.add(std::move(node), names);
}

ir::Graph GraphCopy::finish() {
  for (const ir::GraphOutput& output : from_.outputs) {
    to_.outputs.push_back({map_.at(output.value), output.role, output.binding});
  }
  return std::move(to_);
}

}  // namespace stitch::plan
