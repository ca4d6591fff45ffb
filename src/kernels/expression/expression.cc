// SPDX-License-Identifier: Apache-2.0
#include "kernels/expression/expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <optional>

#include "kernels/expression/literal.h"

namespace stitch::kernels {
namespace {

struct Entry {
  const char* op;
  const char* floating_point;
  const char* integer;
  const char* boolean;
  double cost;
};

constexpr std::array kTable = {
#define STITCH_EXPRESSION(op, floating_point, integer, boolean, cost) \
  Entry{#op, floating_point, integer, boolean, cost},
#include "kernels/expression/pointwise.def"
#undef STITCH_EXPRESSION
};

const Entry* find_entry(const std::string& op) {
  for (const Entry& entry : kTable) {
    if (op == entry.op) {
      return &entry;
    }
  }
  return nullptr;
}

// What scalar operand i of `op` is called.
const char* scalar_role(const std::string& op, size_t i) {
  struct Role {
    const char* op;
    const char* first;
    const char* second;
  };
  static constexpr Role kRoles[] = {{"add", "addend", "addend"},
                                    {"sub", "minuend", "subtrahend"},
                                    {"mul", "factor", "factor"},
                                    {"div", "dividend", "divisor"},
                                    {"div_trunc", "dividend", "divisor"},
                                    {"floor_divide", "dividend", "divisor"},
                                    {"remainder", "dividend", "divisor"},
                                    {"fmod", "dividend", "divisor"},
                                    {"gcd", "number", "number"},
                                    {"pow", "base", "exponent"},
                                    {"maximum", "least", "least"},
                                    {"minimum", "greatest", "greatest"},
                                    {"bitwise_and", "mask", "mask"},
                                    {"bitwise_or", "mask", "mask"},
                                    {"bitwise_xor", "mask", "mask"},
                                    {"bitwise_left_shift", "shifted", "distance"},
                                    {"bitwise_right_shift", "shifted", "distance"},
                                    {"lerp", "start", "end"}};
  for (const Role& role : kRoles) {
    if (op == role.op) {
      return i == 0 ? role.first : role.second;
    }
  }
  if (op == "where") {
    return i == 1 ? "chosen" : "otherwise";
  }
  return "threshold";
}

// The element type the operator works in: that of its first tensor operand after a condition.
DataType working_dtype(const ir::Graph& graph, const ir::Node& node) {
  for (size_t i = node.op == "where" ? 1 : 0; i < node.operands.size(); ++i) {
    if (ir::is_tensor(node.operands[i])) {
      return graph.type(std::get<ir::ValueId>(node.operands[i])).dtype;
    }
  }
  return graph.type(node.outputs[0]).dtype;
}

const char* template_for(const Entry& entry, DataType dtype) {
  if (is_floating_point(dtype)) {
    return entry.floating_point;
  }
  return dtype == DataType::kBool ? entry.boolean : entry.integer;
}

std::string attribute_constant(const ir::Graph& graph, const ir::Node& node, const std::string& attribute,
                               StepBuilder& step) {
  const DataType dtype = working_dtype(graph, node);
  const ir::Scalar scalar = ir::double_attribute(node, attribute);
  const std::string text = literal(scalar, dtype);
  if (speaks_for_itself(scalar)) {
    return text;
  }
  return step.constant(compute_type(dtype), graph.value(node.outputs[0]).name + "_" + attribute, text);
}

std::string replace_all(std::string text, const std::string& what, const std::string& with) {
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size())) {
    text.replace(at, what.size(), with);
  }
  return text;
}

std::string converted(const std::string& operand, DataType from, DataType to) {
  if (to == DataType::kFloat64) {
    return from == to ? operand : fmt::format("static_cast<double>({})", operand);
  }
  if (is_floating_point(to)) {
    const bool in_float = is_floating_point(from) && from != DataType::kFloat64;
    return in_float ? operand : fmt::format("stitch::to_float({})", operand);
  }
  if (to == DataType::kBool) {
    return from == DataType::kBool ? operand : fmt::format("{} != {}", operand, literal(ir::Scalar{int64_t{0}}, from));
  }
  const std::string whole = fmt::format("static_cast<int64_t>({})", operand);
  return to == DataType::kInt64 ? whole : fmt::format("stitch::wrapped<{}>({})", cuda_type_name(to), whole);
}

// Text written for float, for double: expf becomes ::exp (a value of the model may be called exp), 0.5f becomes 0.5.
std::string in_double(const std::string& text) {
  const auto is_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.'; };
  std::string result;
  for (size_t at = 0; at < text.size();) {
    size_t end = at;
    while (end < text.size() && is_word(text[end])) {
      ++end;
    }
    if (end == at) {
      result += text[at++];
      continue;
    }
    std::string word = text.substr(at, end - at);
    const bool is_number =
        std::isdigit(static_cast<unsigned char>(word[0])) != 0 && word.find('.') != std::string::npos;
    const bool is_function = end < text.size() && text[end] == '(' && (at == 0 || text[at - 1] != ':');
    if ((is_number || is_function) && word.back() == 'f') {
      word.pop_back();
      result += is_function ? "::" : "";
    }
    result += word;
    at = end;
  }
  return result;
}

// Whether the operator's result may lie outside the range of its operands' integer type.
bool may_leave_range(const std::string& op) {
  static constexpr const char* kOps[] = {"add", "sub",          "mul",       "neg",         "abs",
                                         "pow", "floor_divide", "div_trunc", "bitwise_not", "bitwise_left_shift",
                                         "gcd"};
  return std::find(std::begin(kOps), std::end(kOps), op) != std::end(kOps);
}

// `text`, computed in int64_t or float, as the operator's element type has it.
std::string in_element_type(const std::string& text, const std::string& op, DataType dtype) {
  if (dtype == DataType::kFloat64) {
    return in_double(text);
  }
  const bool is_narrow = !is_floating_point(dtype) && dtype != DataType::kBool && dtype != DataType::kInt64;
  return is_narrow && may_leave_range(op) ? fmt::format("stitch::wrapped<{}>({})", cuda_type_name(dtype), text) : text;
}

std::string elu_expression(const ir::Graph& graph, const ir::Node& node, const std::string& x, StepBuilder& step) {
  const std::string alpha = attribute_constant(graph, node, "alpha", step);
  if (ir::double_attribute(node, "scale") == 1.0 && ir::double_attribute(node, "input_scale") == 1.0) {
    return fmt::format("stitch::elu({}, {})", x, alpha);
  }
  const std::string scale = attribute_constant(graph, node, "scale", step);
  const std::string input_scale = attribute_constant(graph, node, "input_scale", step);
  return fmt::format("{1} * ({0} > 0.0f ? {0} : {2} * expm1f({0} * {3}))", x, scale, alpha, input_scale);
}

std::string clamp_expression(const ir::Graph& graph, const ir::Node& node, const std::string& x, StepBuilder& step) {
  const bool has_low = std::isfinite(ir::double_attribute(node, "min"));
  const bool has_high = std::isfinite(ir::double_attribute(node, "max"));
  const bool in_float = is_floating_point(working_dtype(graph, node));
  if (!has_low && !has_high && !in_float) {
    return x;
  }
  const std::string low = has_low || in_float ? attribute_constant(graph, node, "min", step) : "";
  const std::string high = has_high || in_float ? attribute_constant(graph, node, "max", step) : "";
  if (in_float) {
    return fmt::format("stitch::clamp({}, {}, {})", x, low, high);
  }
  const std::string below = has_low ? fmt::format("{0} < {1} ? {1} : ", x, low) : "";
  const std::string above = has_high ? fmt::format("{0} > {1} ? {1} : ", x, high) : "";
  return below + above + x;
}

// x ** 0.5 is written as a root.
bool is_square_root(const ir::Scalar& exponent) {
  return std::visit([](auto number) { return static_cast<double>(number); }, exponent) == 0.5;
}

std::optional<std::string> pow_expression(const ir::Graph& graph, const ir::Node& node,
                                          const std::vector<std::string>& operands) {
  if (!is_floating_point(graph.type(node.outputs[0]).dtype)) {
    return fmt::format("stitch::integer_power({}, {})", operands[0], operands[1]);
  }
  if (const ir::Scalar* exponent = std::get_if<ir::Scalar>(&node.operands[1])) {
    const double value = std::visit([](auto number) { return static_cast<double>(number); }, *exponent);
    if (value == 2.0) {
      return fmt::format("stitch::square({})", operands[0]);
    }
    if (is_square_root(*exponent)) {
      return fmt::format("sqrtf({})", operands[0]);
    }
  }
  return fmt::format("powf({}, {})", operands[0], operands[1]);
}

std::optional<std::string> special_expression(const ir::Graph& graph, const ir::Node& node,
                                              const std::vector<std::string>& operands, StepBuilder& step) {
  if (node.op == "to") {
    return converted(operands[0], working_dtype(graph, node), ir::dtype_attribute(node, "dtype"));
  }
  if (node.op == "gelu") {
    const bool by_tanh = ir::string_attribute(node, "approximate") == "tanh";
    return fmt::format("stitch::{}({})", by_tanh ? "gelu_tanh" : "gelu", operands[0]);
  }
  if (node.op == "elu") {
    return elu_expression(graph, node, operands[0], step);
  }
  if (node.op == "clamp") {
    return clamp_expression(graph, node, operands[0], step);
  }
  return node.op == "pow" ? pow_expression(graph, node, operands) : std::nullopt;
}

}  // namespace

Result<void> check_expression(const ir::Graph& graph, const ir::Node& node) {
  const DataType dtype = working_dtype(graph, node);
  if (node.op == "to" || node.op == "gelu" || node.op == "elu" || node.op == "clamp" || node.op == "pow") {
    return {};
  }
  const Entry* entry = find_entry(node.op);
  if (entry == nullptr || *template_for(*entry, dtype) == '\0') {
    return failure(ErrorCode::kUnsupportedOperator,
                   fmt::format("no kernel computes {} of {} elements", node.op, to_string(dtype)), node.place);
  }
  return {};
}

std::string scalar_operand(const ir::Graph& graph, const ir::Node& node, size_t i, StepBuilder& step) {
  const auto& scalar = std::get<ir::Scalar>(node.operands[i]);
  const DataType dtype = working_dtype(graph, node);
  const std::string text = literal(scalar, dtype);
  if (speaks_for_itself(scalar) || (node.op == "pow" && is_square_root(scalar))) {
    return text;
  }
  return step.constant(compute_type(dtype), graph.value(node.outputs[0]).name + "_" + scalar_role(node.op, i), text);
}

Result<std::string> expression(const ir::Graph& graph, const ir::Node& node, const std::vector<std::string>& operands,
                               StepBuilder& step) {
  STITCH_TRY(check_expression(graph, node));
  const DataType dtype = working_dtype(graph, node);
  if (const auto special = special_expression(graph, node, operands, step)) {
    return node.op == "to" ? *special : in_element_type(*special, node.op, dtype);
  }
  const Entry& entry = *find_entry(node.op);
  std::string text = replace_all(template_for(entry, dtype), "{bits}", std::to_string(8 * element_bytes(dtype)));
  if (dtype == DataType::kFloat64) {
    text = in_double(text);
  }
  for (size_t i = 0; i < operands.size(); ++i) {
    text = replace_all(text, "{" + std::to_string(i) + "}", operands[i]);
  }
  for (const auto& [name, attribute] : node.attributes) {
    const std::string marker = "{" + name + "}";
    if (text.find(marker) != std::string::npos) {
      text = replace_all(text, marker, attribute_constant(graph, node, name, step));
    }
  }
  return dtype == DataType::kFloat64 ? text : in_element_type(text, node.op, dtype);
}

double lane_operations(const ir::Node& node) {
  if (node.op == "gelu" || node.op == "elu" || node.op == "pow") {
    return 24;
  }
  if (node.op == "uniform" || node.op == "normal") {
    return node.op == "uniform" ? 48 : 80;
  }
  const Entry* entry = find_entry(node.op);
  return entry != nullptr ? entry->cost : 1;
}

}  // namespace stitch::kernels
