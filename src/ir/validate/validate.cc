// SPDX-License-Identifier: Apache-2.0
#include "ir/validate/validate.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <set>

#include "artifact/tensor/extents.h"
#include "ir/graph/op.h"
#include "ir/ops.h"
#include "ir/text/printer.h"

namespace stitch::ir {
namespace {

Unexpected invalid(const std::string& message, const std::string& location = {}) {
  return failure(ErrorCode::kFileInvalid, message, location);
}

bool is_value(const Graph& graph, ValueId id) {
  return id.index >= 0 && static_cast<size_t>(id.index) < graph.values.size();
}

Result<void> check_names(const Graph& graph) {
  std::set<std::string_view> seen;
  for (const Value& value : graph.values) {
    if (!is_value_name(value.name)) {
      return invalid(fmt::format("\"{}\" cannot name a value", value.name));
    }
    if (!seen.insert(value.name).second) {
      return invalid(fmt::format("{} is defined twice", value.name));
    }
  }
  return {};
}

Result<void> check_operands(const Graph& graph, const Node& node, const std::vector<bool>& defined) {
  for (const Operand& operand : node.operands) {
    const ValueId* id = std::get_if<ValueId>(&operand);
    if (id == nullptr) {
      continue;
    }
    if (!is_value(graph, *id)) {
      return invalid(fmt::format("{} has an operand that is no value of the graph", to_string(node.op)), node.location);
    }
    if (!defined[static_cast<size_t>(id->index)]) {
      return invalid(fmt::format("{} uses {} before it is defined", to_string(node.op), graph.value(*id).name),
                     node.location);
    }
  }
  return {};
}

Result<void> check_types(const Graph& graph, const Node& node) {
  const auto is_one = [&](ValueId id) { return is_value(graph, id); };
  if (!std::all_of(node.outputs.begin(), node.outputs.end(), is_one)) {
    return invalid(fmt::format("{} has a result that is no value of the graph", to_string(node.op)), node.location);
  }
  if (node.op == Op::kOpaque) {
    return {};
  }
  STITCH_ASSIGN(const std::vector<TensorType> inferred, infer_types(graph, node));
  if (inferred.size() != node.outputs.size()) {
    return invalid(fmt::format("{} has {} results, not {}", to_string(node.op), inferred.size(), node.outputs.size()),
                   node.location);
  }
  for (size_t i = 0; i < inferred.size(); ++i) {
    const Value& value = graph.value(node.outputs[i]);
    if (value.type != inferred[i]) {
      return invalid(fmt::format("{} gives {} of type {}, but it is declared {}", to_string(node.op), value.name,
                                 print(inferred[i]), print(value.type)),
                     node.location);
    }
  }
  return {};
}

Result<void> check_outputs(const Graph& graph, const std::vector<bool>& defined) {
  for (const GraphOutput& output : graph.outputs) {
    if (!is_value(graph, output.value) || !defined[static_cast<size_t>(output.value.index)]) {
      return invalid(fmt::format("output \"{}\" is no value of the graph", output.binding));
    }
    if (output.role == TensorRole::kOutput) {
      continue;
    }
    const auto is_partner = [&](const GraphInput& input) {
      return input.role == TensorRole::kState && input.binding == output.binding &&
             graph.type(input.value) == graph.type(output.value);
    };
    if (output.role != TensorRole::kState || std::none_of(graph.inputs.begin(), graph.inputs.end(), is_partner)) {
      return invalid(fmt::format("{} \"{}\" has no state input of the same type to replace",
                                 stitch::to_string(output.role), output.binding));
    }
  }
  return {};
}

}  // namespace

bool is_value_name(std::string_view name) {
  constexpr std::array<std::string_view, 6> kWords = {"none", "true", "false", "inf", "nan", "return"};
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name.front())) != 0 ||
      std::find(kWords.begin(), kWords.end(), name) != kWords.end()) {
    return false;
  }
  return std::all_of(name.begin(), name.end(),
                     [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; });
}

Result<void> validate(const Graph& graph) {
  STITCH_TRY(check_names(graph));
  std::vector<bool> defined(graph.values.size(), false);
  for (const GraphInput& input : graph.inputs) {
    if (!is_value(graph, input.value)) {
      return invalid(fmt::format("{} \"{}\" is no value of the graph", stitch::to_string(input.role), input.binding));
    }
    STITCH_TRY(check_extents(graph.type(input.value)));
    defined[static_cast<size_t>(input.value.index)] = true;
  }
  for (const Node& node : graph.nodes) {
    STITCH_TRY(check_operands(graph, node, defined));
    STITCH_TRY(check_types(graph, node));
    for (const ValueId id : node.outputs) {
      defined[static_cast<size_t>(id.index)] = true;
    }
  }
  return check_outputs(graph, defined);
}

}  // namespace stitch::ir
