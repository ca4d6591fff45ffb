// SPDX-License-Identifier: Apache-2.0
#include "ir/text/printer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ir/graph/op.h"
#include "ir/text/number.h"

namespace stitch::ir {
namespace {

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      result += '\\';
    }
    result += c;
  }
  return result + '"';
}

struct AttributePrinter {
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(int64_t value) const { return std::to_string(value); }
  std::string operator()(double value) const { return format_number(value); }
  std::string operator()(const std::string& value) const { return quoted(value); }
  std::string operator()(DataType value) const { return short_name(value); }
  std::string operator()(const std::vector<int64_t>& values) const {
    return fmt::format("[{}]", fmt::join(values, ","));
  }
  std::string operator()(const std::vector<double>& values) const {
    std::vector<std::string> texts;
    for (const double value : values) {
      texts.push_back(format_number(value));
    }
    return fmt::format("[{}]", fmt::join(texts, ","));
  }
};

std::string print_operand(const Graph& graph, const Operand& operand) {
  if (const ValueId* id = std::get_if<ValueId>(&operand)) {
    return graph.value(*id).name;
  }
  if (const Scalar* scalar = std::get_if<Scalar>(&operand)) {
    return std::visit([](auto value) { return AttributePrinter{}(value); }, *scalar);
  }
  return "none";
}

std::string print_definition(const Value& value) { return fmt::format("{}: {}", value.name, print(value.type)); }

}  // namespace

std::string print(const TensorType& type) {
  return fmt::format("{}[{}]", short_name(type.dtype), fmt::join(type.shape, ","));
}

std::string print(const Graph& graph, const Node& node) {
  std::vector<std::string> definitions;
  for (const ValueId id : node.outputs) {
    definitions.push_back(print_definition(graph.value(id)));
  }
  std::vector<std::string> operands;
  for (const Operand& operand : node.operands) {
    operands.push_back(print_operand(graph, operand));
  }
  std::vector<std::string> attributes;
  for (const auto& [name, value] : node.attributes) {
    attributes.push_back(name + "=" + std::visit(AttributePrinter{}, value));
  }
  return fmt::format("{} = {}({}{}{}){}{}", fmt::join(definitions, ", "), to_string(node.op), fmt::join(operands, ", "),
                     attributes.empty() ? "" : "; ", fmt::join(attributes, ", "), node.location.empty() ? "" : "  @ ",
                     node.location);
}

std::string print(const Graph& graph) {
  std::string text = fmt::format("graph {} mode={}\n", graph.name, graph.mode);
  for (const GraphInput& input : graph.inputs) {
    text += fmt::format("{} = {} {}\n", print_definition(graph.value(input.value)), stitch::to_string(input.role),
                        quoted(input.binding));
  }
  for (const Node& node : graph.nodes) {
    text += print(graph, node) + "\n";
  }
  std::vector<std::string> outputs;
  for (const GraphOutput& output : graph.outputs) {
    outputs.push_back(fmt::format("{} {} = {}", stitch::to_string(output.role), quoted(output.binding),
                                  graph.value(output.value).name));
  }
  return text + fmt::format("return {}\n", fmt::join(outputs, ", "));
}

}  // namespace stitch::ir
