// SPDX-License-Identifier: Apache-2.0
#include "ir/graph/graph.h"

#include "ir/graph/op.h"

namespace stitch::ir {
namespace {

template <typename T>
const T& typed_attribute(const Node& node, std::string_view name) {
  const T* value = std::get_if<T>(&attribute(node, name));
  STITCH_CHECK(value != nullptr) << to_string(node.op) << "'s attribute " << name << " has another kind";
  return *value;
}

}  // namespace

ValueId Graph::add_input(std::string value_name, TensorType type, TensorRole role, std::string binding) {
  const ValueId id{static_cast<int32_t>(values.size())};
  values.push_back({std::move(value_name), std::move(type), NodeId{}, 0});
  inputs.push_back({id, role, std::move(binding)});
  return id;
}

NodeId Graph::add_node(Node node, const std::vector<std::pair<std::string, TensorType>>& outputs_of_node) {
  const NodeId id{static_cast<int32_t>(nodes.size())};
  node.outputs.clear();
  for (const auto& [value_name, type] : outputs_of_node) {
    const int output_index = static_cast<int>(node.outputs.size());
    node.outputs.push_back(ValueId{static_cast<int32_t>(values.size())});
    values.push_back({value_name, type, id, output_index});
  }
  nodes.push_back(std::move(node));
  return id;
}

const Attribute& attribute(const Node& node, std::string_view name) {
  for (const auto& [key, value] : node.attributes) {
    if (key == name) {
      return value;
    }
  }
  STITCH_CHECK(false) << to_string(node.op) << " at " << node.location << " has no attribute " << name;
  __builtin_unreachable();
}

int64_t int_attribute(const Node& node, std::string_view name) { return typed_attribute<int64_t>(node, name); }
double double_attribute(const Node& node, std::string_view name) { return typed_attribute<double>(node, name); }
bool bool_attribute(const Node& node, std::string_view name) { return typed_attribute<bool>(node, name); }
const std::string& string_attribute(const Node& node, std::string_view name) {
  return typed_attribute<std::string>(node, name);
}
const std::vector<int64_t>& ints_attribute(const Node& node, std::string_view name) {
  return typed_attribute<std::vector<int64_t>>(node, name);
}
const std::vector<double>& doubles_attribute(const Node& node, std::string_view name) {
  return typed_attribute<std::vector<double>>(node, name);
}
DataType dtype_attribute(const Node& node, std::string_view name) { return typed_attribute<DataType>(node, name); }

ValueId tensor_operand(const Node& node, size_t i) {
  STITCH_CHECK(i < node.operands.size() && is_tensor(node.operands[i]))
      << to_string(node.op) << "'s operand " << i << " is not a tensor";
  return std::get<ValueId>(node.operands[i]);
}

bool is_tensor(const Operand& operand) { return std::holds_alternative<ValueId>(operand); }

}  // namespace stitch::ir
