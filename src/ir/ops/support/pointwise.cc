// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/support/pointwise.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "ir/ops/support/checks.h"
#include "ir/ops/support/index.h"

namespace stitch::ir {
namespace {

double as_double(const Scalar& scalar) {
  return std::visit([](auto value) { return static_cast<double>(value); }, scalar);
}

bool scalar_fits(const Scalar& scalar, DataType dtype) {
  if (is_floating_point(dtype)) {
    return true;
  }
  if (dtype == DataType::kBool) {
    return std::holds_alternative<bool>(scalar);
  }
  return !std::holds_alternative<double>(scalar);
}

Result<void> check_rule(ElementRule rule, DataType dtype) {
  switch (rule) {
    case ElementRule::kFloatingPoint:
      return require_floating_point(dtype);
    case ElementRule::kNumber:
      return require(dtype != DataType::kBool, "bool is not a type of numbers");
    case ElementRule::kInteger:
      return require(!is_floating_point(dtype) && dtype != DataType::kBool,
                     fmt::format("{} is not an integer type", stitch::to_string(dtype)));
    case ElementRule::kLogical:
      return require(dtype == DataType::kBool, fmt::format("{} is not bool", stitch::to_string(dtype)));
    case ElementRule::kAny:
    case ElementRule::kCompare:
      return {};
  }
  return {};
}

}  // namespace

double wrapped_to(double value, DataType dtype) {
  if (is_floating_point(dtype) || dtype == DataType::kBool || dtype == DataType::kInt64 || !std::isfinite(value)) {
    return value;
  }
  const double period = std::ldexp(1.0, static_cast<int>(8 * element_bytes(dtype)));
  const double wrapped = value - period * std::floor(value / period);
  return dtype != DataType::kUint8 && wrapped >= period / 2 ? wrapped - period : wrapped;
}

Result<DataType> common_element_type(const Graph& graph, const Node& node, size_t first, size_t last) {
  std::optional<DataType> common;
  for (size_t i = first; i <= last; ++i) {
    if (is_tensor(node.operands[i])) {
      const DataType dtype = graph.type(std::get<ValueId>(node.operands[i])).dtype;
      STITCH_TRY(require(!common.has_value() || *common == dtype,
                         fmt::format("operand {} is {} where another is {}", i, stitch::to_string(dtype),
                                     stitch::to_string(common.value_or(dtype)))));
      common = dtype;
    }
  }
  STITCH_TRY(require(common.has_value(), "needs a tensor among its operands"));
  for (size_t i = first; i <= last; ++i) {
    STITCH_TRY(require(!std::holds_alternative<Absent>(node.operands[i]), fmt::format("operand {} is none", i)));
    if (const Scalar* scalar = std::get_if<Scalar>(&node.operands[i])) {
      STITCH_TRY(require(scalar_fits(*scalar, *common),
                         fmt::format("scalar operand {} does not fit {}", i, stitch::to_string(*common))));
    }
  }
  return *common;
}

Result<std::vector<int64_t>> pointwise_shape(const Graph& graph, const Node& node) {
  std::vector<int64_t> shape;
  for (const Operand& operand : node.operands) {
    if (const ValueId* id = std::get_if<ValueId>(&operand)) {
      STITCH_ASSIGN(shape, broadcast_shape(shape, graph.type(*id).shape));
    }
  }
  return shape;
}

std::vector<ReferenceTensor> pointwise_reference(const Graph& graph, const Node& node,
                                                 const std::vector<const ReferenceTensor*>& operands,
                                                 const PointwiseFunction& function) {
  ReferenceTensor result = make_reference(output_type(graph, node));
  std::vector<double> elements(operands.size());
  for (size_t i = 0; i < result.data.size(); ++i) {
    const Position position = position_of(static_cast<int64_t>(i), result.type.shape);
    for (size_t k = 0; k < operands.size(); ++k) {
      elements[k] = operands[k] == nullptr
                        ? as_double(std::get<Scalar>(node.operands[k]))
                        : operands[k]->data[static_cast<size_t>(broadcast_index(position, operands[k]->type.shape))];
    }
    result.data[i] = wrapped_to(function(node, elements), result.type.dtype);
  }
  return {result};
}

OpDef pointwise(ElementRule rule, int operands, std::vector<AttributeDef> attributes, PointwiseFunction function) {
  OpDef def{.min_operands = operands, .max_operands = operands};
  def.elements = rule;
  def.attributes = std::move(attributes);
  def.infer = [rule](const Graph& graph, const Node& node) -> Types {
    STITCH_ASSIGN(const DataType dtype, common_element_type(graph, node, 0, node.operands.size() - 1));
    STITCH_TRY(check_rule(rule, dtype));
    STITCH_ASSIGN(const std::vector<int64_t> shape, pointwise_shape(graph, node));
    return std::vector<TensorType>{{rule == ElementRule::kCompare ? DataType::kBool : dtype, shape}};
  };
  def.reference = [function = std::move(function)](const Graph& graph, const Node& node, const auto& operands) {
    return pointwise_reference(graph, node, operands, function);
  };
  return def;
}

OpDef pointwise(ElementRule rule, double (*function)(double)) {
  return pointwise(rule, 1, {}, [function](const Node&, std::span<const double> x) { return function(x[0]); });
}

OpDef pointwise(ElementRule rule, double (*function)(double, double)) {
  return pointwise(rule, 2, {}, [function](const Node&, std::span<const double> x) { return function(x[0], x[1]); });
}

OpDef pointwise(ElementRule rule, double (*function)(double, double, double)) {
  return pointwise(rule, 3, {},
                   [function](const Node&, std::span<const double> x) { return function(x[0], x[1], x[2]); });
}

OpDef pointwise(ElementRule rule, std::initializer_list<const char*> attributes,
                double (*function)(double, const Node& node)) {
  std::vector<AttributeDef> defs;
  for (const char* attribute : attributes) {
    defs.push_back({attribute, AttributeKind::kDouble});
  }
  return pointwise(rule, 1, std::move(defs),
                   [function](const Node& node, std::span<const double> x) { return function(x[0], node); });
}

}  // namespace stitch::ir
