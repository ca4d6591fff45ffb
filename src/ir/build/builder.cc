// SPDX-License-Identifier: Apache-2.0
#include "ir/build/builder.h"

#include <cctype>

#include "ir/graph/op.h"
#include "ir/ops.h"
#include "ir/validate/validate.h"

namespace stitch::ir {

Builder::Builder(Graph& graph) : graph_(graph) {
  for (const Value& value : graph.values) {
    names_.insert(value.name);
  }
}

std::string Builder::unique_name(const std::string& wish) const {
  std::string name;
  for (const char c : wish) {
    name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  }
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name.front())) != 0) {
    name.insert(0, "v");
  }
  if (!is_value_name(name)) {
    name += "_";
  }
  std::string candidate = name;
  for (int suffix = 1; names_.contains(candidate); ++suffix) {
    candidate = name + "_" + std::to_string(suffix);
  }
  return candidate;
}

void Builder::rename(ValueId id, const std::string& wish) {
  Value& value = graph_.value(id);
  names_.erase(value.name);
  value.name = unique_name(wish);
  names_.insert(value.name);
}

void Builder::drop_nodes(size_t first_node, size_t first_value) {
  while (graph_.values.size() > first_value) {
    names_.erase(graph_.values.back().name);
    graph_.values.pop_back();
  }
  graph_.nodes.resize(first_node);
}

ValueId Builder::add_input(const std::string& name, TensorType type, TensorRole role, std::string binding) {
  const std::string unique = unique_name(name);
  names_.insert(unique);
  return graph_.add_input(unique, std::move(type), role, std::move(binding));
}

Result<std::vector<ValueId>> Builder::add(Node node, const std::vector<std::string>& names) {
  STITCH_ASSIGN(const std::vector<TensorType> types, infer_types(graph_, node));
  std::vector<std::pair<std::string, TensorType>> outputs;
  for (size_t i = 0; i < types.size(); ++i) {
    outputs.emplace_back(i < names.size() && !names[i].empty() ? names[i] : to_string(node.op), types[i]);
  }
  return add_typed(std::move(node), outputs);
}

Result<ValueId> Builder::add_one(Node node, const std::string& name) {
  STITCH_ASSIGN(const std::vector<ValueId> outputs, add(std::move(node), {name}));
  STITCH_CHECK(outputs.size() == 1) << "the node has " << outputs.size() << " outputs, not one";
  return outputs[0];
}

std::vector<ValueId> Builder::add_typed(Node node, const std::vector<std::pair<std::string, TensorType>>& outputs) {
  std::vector<std::pair<std::string, TensorType>> named;
  for (const auto& [wish, type] : outputs) {
    named.emplace_back(unique_name(wish), type);
    names_.insert(named.back().first);
  }
  const NodeId id = graph_.add_node(std::move(node), named);
  return graph_.node(id).outputs;
}

}  // namespace stitch::ir
