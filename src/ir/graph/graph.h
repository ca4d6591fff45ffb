// SPDX-License-Identifier: Apache-2.0
// What a program *is*: static shapes, single assignment, multi-output nodes. Views are ordinary operators, state is an
// input/output pair, scalars and dtypes are explicit. Nodes are kept in topological order.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "artifact/tensor/tensor_spec.h"

namespace stitch::ir {

enum class Op : uint16_t;  // the operators; ir/graph/op.h has the enumerators

struct ValueId {
  int32_t index = -1;
  bool operator==(const ValueId&) const = default;
  auto operator<=>(const ValueId&) const = default;
};
struct NodeId {
  int32_t index = -1;
  bool is_valid() const { return index >= 0; }
  bool operator==(const NodeId&) const = default;
  auto operator<=>(const NodeId&) const = default;
};

// An immediate operand: `mul(%x, 0.125)`.
using Scalar = std::variant<bool, int64_t, double>;
struct Absent {  // an optional tensor that was not given: `linear(%x, %w, none)`
  bool operator==(const Absent&) const = default;
};
using Operand = std::variant<Absent, ValueId, Scalar>;

using Attribute = std::variant<bool, int64_t, double, std::string, DataType, std::vector<int64_t>, std::vector<double>>;

struct Value {
  std::string name;  // unique in the graph; a C identifier
  TensorType type;
  NodeId producer;  // invalid for graph inputs
  int output_index = 0;
};

struct Node {
  Op op{};
  std::vector<Operand> operands;
  std::vector<std::pair<std::string, Attribute>> attributes;  // in the order the operator declares them
  std::vector<ValueId> outputs;
  std::string location;  // "model.py:14", may be empty
};

// A value that exists before the first node. `binding` is the argument name or the state-dict name.
struct GraphInput {
  ValueId value;
  TensorRole role = TensorRole::kInput;  // input, parameter, constant or state
  std::string binding;
};

// role kOutput: binding is "0", "1", ... or "out.logits" (path in the returned structure).
// role kState: the new value of the state input with the same binding.
struct GraphOutput {
  ValueId value;
  TensorRole role = TensorRole::kOutput;
  std::string binding;
};

struct Graph {
  std::string name;
  std::string mode;  // "train" or "eval"
  std::vector<Value> values;
  std::vector<Node> nodes;
  std::vector<GraphInput> inputs;
  std::vector<GraphOutput> outputs;

  const Value& value(ValueId id) const { return values[static_cast<size_t>(id.index)]; }
  Value& value(ValueId id) { return values[static_cast<size_t>(id.index)]; }
  const Node& node(NodeId id) const { return nodes[static_cast<size_t>(id.index)]; }
  const TensorType& type(ValueId id) const { return value(id).type; }

  ValueId add_input(std::string value_name, TensorType type, TensorRole role, std::string binding);
  // Appends a node whose outputs have the given names and types.
  NodeId add_node(Node node, const std::vector<std::pair<std::string, TensorType>>& outputs);
};

// The attribute `name` of `node`. Aborts where it is missing: the operator's check has made sure of it.
const Attribute& attribute(const Node& node, std::string_view name);
int64_t int_attribute(const Node& node, std::string_view name);
double double_attribute(const Node& node, std::string_view name);
bool bool_attribute(const Node& node, std::string_view name);
const std::string& string_attribute(const Node& node, std::string_view name);
const std::vector<int64_t>& ints_attribute(const Node& node, std::string_view name);
const std::vector<double>& doubles_attribute(const Node& node, std::string_view name);
DataType dtype_attribute(const Node& node, std::string_view name);

// The value of operand i, which must be a tensor; and whether it is one.
ValueId tensor_operand(const Node& node, size_t i);
bool is_tensor(const Operand& operand);

}  // namespace stitch::ir
