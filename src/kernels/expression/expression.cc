// SPDX-License-Identifier: Apache-2.0
#include "kernels/expression/expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <optional>

#include "ir/graph/op.h"
#include "kernels/expression/literal.h"

namespace stitch::kernels {
namespace {

enum class Range : uint8_t { kStaysInRange, kMayLeaveRange };

// What pointwise.def says of an operator; no text in it for those of special_expression().
struct Entry {
  const char* floating_point = "";
  const char* integer = "";
  const char* boolean = "";
  double cost = 1;
  Range range = Range::kStaysInRange;
  bool is_special = false;
};

constexpr std::array<Entry, ir::kOpCount> make_table() {
  using enum Range;
  std::array<Entry, ir::kOpCount> table{};
#define STITCH_POINTWISE(name, meaning, definition, floating_point, integer, boolean, cost, range) \
  table[index_of(ir::op_named(#name))] = {floating_point, integer, boolean, cost, range};
#define STITCH_POINTWISE_SPECIAL(name, meaning, definition, cost, range) \
  table[index_of(ir::op_named(#name))] = {"", "", "", cost, range, true};
#include "ir/ops/pointwise/pointwise.def"
#undef STITCH_POINTWISE
#undef STITCH_POINTWISE_SPECIAL
  return table;
}

constexpr std::array<Entry, ir::kOpCount> kTable = make_table();

const Entry& entry_of(ir::Op op) { return kTable[index_of(op)]; }

// What scalar operand i of `op` is called.
const char* scalar_role(ir::Op op, size_t i) {
  using ir::Op;
  switch (op) {
    case Op::kAdd:
      return "addend";
    case Op::kSub:
      return i == 0 ? "minuend" : "subtrahend";
    case Op::kMul:
      return "factor";
    case Op::kDiv:
    case Op::kDivTrunc:
    case Op::kFloorDivide:
    case Op::kRemainder:
    case Op::kFmod:
      return i == 0 ? "dividend" : "divisor";
    case Op::kGcd:
      return "number";
    case Op::kPow:
      return i == 0 ? "base" : "exponent";
    case Op::kMaximum:
      return "least";
    case Op::kMinimum:
      return "greatest";
    case Op::kBitwiseAnd:
    case Op::kBitwiseOr:
    case Op::kBitwiseXor:
      return "mask";
    case Op::kBitwiseLeftShift:
    case Op::kBitwiseRightShift:
      return i == 0 ? "shifted" : "distance";
    case Op::kLerp:
      return i == 0 ? "start" : "end";
    case Op::kWhere:
      return i == 1 ? "chosen" : "otherwise";
    default:
      return "threshold";
  }
}

// The element type the operator works in: that of its first tensor operand after a condition.
DataType working_dtype(const ir::Graph& graph, const ir::Node& node) {
  for (size_t i = node.op == ir::Op::kWhere ? 1 : 0; i < node.operands.size(); ++i) {
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

// `text`, computed in int64_t or float, as the operator's element type has it.
std::string in_element_type(const std::string& text, ir::Op op, DataType dtype) {
  if (dtype == DataType::kFloat64) {
    return in_double(text);
  }
  const bool is_narrow = !is_floating_point(dtype) && dtype != DataType::kBool && dtype != DataType::kInt64;
  return is_narrow && entry_of(op).range == Range::kMayLeaveRange
             ? fmt::format("stitch::wrapped<{}>({})", cuda_type_name(dtype), text)
             : text;
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
  if (node.op == ir::Op::kTo) {
    return converted(operands[0], working_dtype(graph, node), ir::dtype_attribute(node, "dtype"));
  }
  if (node.op == ir::Op::kGelu) {
    const bool by_tanh = ir::string_attribute(node, "approximate") == "tanh";
    return fmt::format("stitch::{}({})", by_tanh ? "gelu_tanh" : "gelu", operands[0]);
  }
  if (node.op == ir::Op::kElu) {
    return elu_expression(graph, node, operands[0], step);
  }
  if (node.op == ir::Op::kClamp) {
    return clamp_expression(graph, node, operands[0], step);
  }
  return node.op == ir::Op::kPow ? pow_expression(graph, node, operands) : std::nullopt;
}

}  // namespace

Result<void> check_expression(const ir::Graph& graph, const ir::Node& node) {
  const DataType dtype = working_dtype(graph, node);
  const Entry& entry = entry_of(node.op);
  if (!entry.is_special && *template_for(entry, dtype) == '\0') {
    return failure(ErrorCode::kUnsupportedOperator,
                   fmt::format("no kernel computes {} of {} elements", to_string(node.op), to_string(dtype)),
                   node.place);
  }
  return {};
}

std::string scalar_operand(const ir::Graph& graph, const ir::Node& node, size_t i, StepBuilder& step) {
  const auto& scalar = std::get<ir::Scalar>(node.operands[i]);
  const DataType dtype = working_dtype(graph, node);
  const std::string text = literal(scalar, dtype);
  if (speaks_for_itself(scalar) || (node.op == ir::Op::kPow && is_square_root(scalar))) {
    return text;
  }
  return step.constant(compute_type(dtype), graph.value(node.outputs[0]).name + "_" + scalar_role(node.op, i), text);
}

Result<std::string> expression(const ir::Graph& graph, const ir::Node& node, const std::vector<std::string>& operands,
                               StepBuilder& step) {
  STITCH_TRY(check_expression(graph, node));
  const DataType dtype = working_dtype(graph, node);
  if (const auto special = special_expression(graph, node, operands, step)) {
    return node.op == ir::Op::kTo ? *special : in_element_type(*special, node.op, dtype);
  }
  std::string text =
      replace_all(template_for(entry_of(node.op), dtype), "{bits}", std::to_string(8 * element_bytes(dtype)));
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
  if (node.op == ir::Op::kUniform || node.op == ir::Op::kNormal) {
    return node.op == ir::Op::kUniform ? 48 : 80;
  }
  return entry_of(node.op).cost;
}

}  // namespace stitch::kernels
