// SPDX-License-Identifier: Apache-2.0
#include "kernels/expression/expression.h"

#include <fmt/format.h>

#include "ir/graph/op.h"
#include "kernels/expression/forms.h"
#include "kernels/expression/made_forms.h"

namespace stitch::kernels {
namespace {

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

// As PyTorch has it, and as the helper in runtime/kernels/common/math.cuh.
constexpr double kMishThreshold = 20;

// What makes the operand, if it is such a node.
const ir::Node* node_of(const ir::Graph& graph, const ir::Operand& operand, ir::Op op) {
  if (!ir::is_tensor(operand)) {
    return nullptr;
  }
  const ir::Value& value = graph.value(std::get<ir::ValueId>(operand));
  if (!value.producer.is_valid()) {
    return nullptr;
  }
  const ir::Node& node = graph.node(value.producer);
  return node.op == op ? &node : nullptr;
}

// Integers are computed in int64_t, whatever their type.
bool is_narrow(DataType dtype) {
  return !is_floating_point(dtype) && dtype != DataType::kBool && dtype != DataType::kInt64;
}

}  // namespace

Result<void> check_expression(const ir::Graph& graph, const ir::Node& node) {
  const DataType dtype = working_dtype(graph, node);
  if (pointwise_forms(node.op).of(dtype).kind == Form::Kind::kAbsent) {
    return failure(ErrorCode::kUnsupportedOperator,
                   fmt::format("no kernel computes {} of {} elements", to_string(node.op), to_string(dtype)),
                   node.location);
  }
  return {};
}

Expr scalar_operand(const ir::Graph& graph, const ir::Node& node, size_t i, StepBuilder& step) {
  const auto& scalar = std::get<ir::Scalar>(node.operands[i]);
  const Literal value = literal(scalar, working_dtype(graph, node));
  if (speaks_for_itself(scalar) || (node.op == ir::Op::kPow && is_square_root(scalar))) {
    return literal_expr(value);
  }
  return step.constant(fmt::format("{}_{}", graph.value(node.outputs[0]).name, scalar_role(node.op, i)), value);
}

Result<Expr> expression(const ir::Graph& graph, const ir::Node& node, const std::vector<Expr>& operands,
                        StepBuilder& step) {
  STITCH_TRY(check_expression(graph, node));
  const DataType dtype = working_dtype(graph, node);
  const PointwiseForms& forms = pointwise_forms(node.op);
  Expr made = fill(forms.of(dtype), {graph, node, operands, dtype, step});
  if (forms.range == Range::kMayLeaveRange && is_narrow(dtype)) {
    return call(fmt::format("stitch::wrapped<{}>", cuda_type_name(dtype)), {std::move(made)});
  }
  return made;
}

std::optional<Mish> mish_of(const ir::Graph& graph, const ir::Node& node) {
  if (node.op != ir::Op::kMul || node.operands.size() != 2) {
    return std::nullopt;
  }
  for (size_t i = 0; i < 2; ++i) {
    const ir::Node* const tanh = node_of(graph, node.operands[i], ir::Op::kTanh);
    const ir::Node* const softplus = tanh != nullptr ? node_of(graph, tanh->operands[0], ir::Op::kSoftplus) : nullptr;
    if (softplus == nullptr || softplus->operands[0] != node.operands[1 - i] ||
        ir::double_attribute(*softplus, "beta") != 1 ||
        ir::double_attribute(*softplus, "threshold") != kMishThreshold ||
        !is_floating_point(graph.type(node.outputs[0]).dtype)) {
      continue;
    }
    return Mish{ir::tensor_operand(*softplus, 0), softplus->outputs[0], tanh->outputs[0]};
  }
  return std::nullopt;
}

double lane_operations(const ir::Node& node) {
  if (node.op == ir::Op::kUniform || node.op == ir::Op::kNormal) {
    return node.op == ir::Op::kUniform ? 48 : 80;
  }
  return pointwise_forms(node.op).cost;
}

}  // namespace stitch::kernels
