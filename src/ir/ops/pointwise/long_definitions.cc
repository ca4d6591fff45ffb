// SPDX-License-Identifier: Apache-2.0
// Operators with a type rule of their own or a reference of many lines.
#include "ir/ops/pointwise/long_definitions.h"

#include <cmath>

#include "ir/ops/support/checks.h"
#include "ir/ops/support/pointwise.h"

namespace stitch::ir {
namespace {

constexpr double kSqrtHalf = 0.70710678118654752440;
constexpr double kSqrtTwoOverPi = 0.79788456080286535588;
constexpr double kCubicTerm = 0.044715;  // of the published tanh approximation

double gelu_by_erf(double x) { return 0.5 * x * (1.0 + std::erf(x * kSqrtHalf)); }
double gelu_by_tanh(double x) { return 0.5 * x * (1.0 + std::tanh(kSqrtTwoOverPi * (x + kCubicTerm * x * x * x))); }

double converted(double x, DataType dtype) {
  if (dtype == DataType::kBool) {
    return x != 0.0 ? 1.0 : 0.0;
  }
  if (is_floating_point(dtype)) {
    return x;
  }
  return wrapped_to(std::trunc(x), dtype);
}

}  // namespace

OpDef pow_def() {
  OpDef def = pointwise(ElementRule::kNumber, [](double base, double exponent) { return std::pow(base, exponent); });
  def.infer = [same = def.infer](const Graph& graph, const Node& node) -> Types {
    const Scalar* scalar = std::get_if<Scalar>(&node.operands[1]);
    const int64_t* exponent = scalar == nullptr ? nullptr : std::get_if<int64_t>(scalar);
    STITCH_ASSIGN(std::vector<TensorType> types, same(graph, node));
    STITCH_TRY(require(is_floating_point(types[0].dtype) || exponent == nullptr || *exponent >= 0,
                       "integers have no negative powers"));
    return types;
  };
  return def;
}

OpDef elu_def() {
  return pointwise(ElementRule::kFloatingPoint, {"alpha", "scale", "input_scale"}, [](double x, const Node& node) {
    const double scale = double_attribute(node, "scale");
    return x > 0.0 ? scale * x
                   : scale * double_attribute(node, "alpha") * std::expm1(x * double_attribute(node, "input_scale"));
  });
}

OpDef gelu_def() {
  OpDef def = pointwise(ElementRule::kFloatingPoint, 1, {{"approximate", AttributeKind::kString}},
                        [](const Node& node, std::span<const double> operands) {
                          const bool by_tanh = string_attribute(node, "approximate") == "tanh";
                          return by_tanh ? gelu_by_tanh(operands[0]) : gelu_by_erf(operands[0]);
                        });
  def.infer = [same = def.infer](const Graph& graph, const Node& node) -> Types {
    const std::string& approximate = string_attribute(node, "approximate");
    STITCH_TRY(require(approximate == "none" || approximate == "tanh", "approximate is neither none nor tanh"));
    return same(graph, node);
  };
  return def;
}

OpDef where_def() {
  OpDef def{.min_operands = 3, .max_operands = 3};
  def.infer = [](const Graph& graph, const Node& node) -> Types {
    STITCH_TRY(tensor_type(graph, node, 0, DataType::kBool));
    STITCH_ASSIGN(const DataType dtype, common_element_type(graph, node, 1, 2));
    STITCH_ASSIGN(const std::vector<int64_t> shape, pointwise_shape(graph, node));
    return std::vector<TensorType>{{dtype, shape}};
  };
  def.reference = [](const Graph& graph, const Node& node, const auto& operands) {
    return pointwise_reference(graph, node, operands, [](const Node&, std::span<const double> elements) {
      return elements[0] != 0.0 ? elements[1] : elements[2];
    });
  };
  return def;
}

OpDef to_def() {
  OpDef def = pointwise(ElementRule::kAny, 1, {{"dtype", AttributeKind::kDataType}},
                        [](const Node& node, std::span<const double> operands) {
                          return converted(operands[0], dtype_attribute(node, "dtype"));
                        });
  def.infer = [](const Graph& graph, const Node& node) -> Types {
    STITCH_ASSIGN(const TensorType* type, tensor_type(graph, node, 0));
    return std::vector<TensorType>{{dtype_attribute(node, "dtype"), type->shape}};
  };
  return def;
}

}  // namespace stitch::ir
