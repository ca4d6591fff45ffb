// SPDX-License-Identifier: Apache-2.0
#include "plan/algebra/factors.h"

#include <algorithm>
#include <cmath>
#include <variant>

#include "ir/graph/op.h"

namespace stitch::plan {
namespace {

using ir::Op;
using ir::Operand;
using ir::ValueId;

bool is_view(Op op) { return op == Op::kReshape || op == Op::kExpand || op == Op::kPermute || op == Op::kSlice; }

double number_of(const Operand& operand) {
  return std::visit([](auto each) { return static_cast<double>(each); }, std::get<ir::Scalar>(operand));
}

bool is_product_with_number(const ir::Node& node) {
  return (node.op == Op::kMul || node.op == Op::kDiv) &&
         !(ir::is_tensor(node.operands[0]) && ir::is_tensor(node.operands[1]));
}

bool rounds(Op op) {
  switch (op) {
    case Op::kConv2d:
    case Op::kConv3d:
    case Op::kConvTranspose2d:
    case Op::kConvTranspose3d:
    case Op::kLinear:
    case Op::kMatmul:
    case Op::kLayerNorm:
    case Op::kMean:
    case Op::kMul:
    case Op::kDiv:
    case Op::kAdd:
    case Op::kSub:
      return true;
    default:
      return false;
  }
}

}  // namespace

Factors::Factors(const ir::Graph& graph) : graph_(graph), known_(graph.values.size()) {
  for (const ir::GraphInput& input : graph.inputs) {
    const bool is_prepared = input.role == TensorRole::kParameter || input.role == TensorRole::kConstant;
    known_[static_cast<size_t>(input.value.index)] = {is_prepared, is_prepared, false, false, false};
  }
  for (const ir::Node& node : graph.nodes) {
    const Known known = known_of(node);
    for (const ValueId output : node.outputs) {
      known_[static_cast<size_t>(output.index)] = known;
    }
  }
}

Factors::Known Factors::known_of(const ir::Node& node) const {
  const auto all = [&](bool Known::*what) {
    return std::all_of(node.operands.begin(), node.operands.end(), [&](const Operand& operand) {
      return ir::is_tensor(operand) ? at(std::get<ValueId>(operand)).*what
                                    : !std::holds_alternative<ir::Scalar>(operand) || std::isfinite(number_of(operand));
    });
  };
  Known first;
  if (const auto tensor = std::find_if(node.operands.begin(), node.operands.end(), ir::is_tensor);
      tensor != node.operands.end()) {
    first = at(std::get<ValueId>(*tensor));
  }
  if (is_view(node.op)) {
    return first;
  }
  Known known;
  known.is_prepared =
      all(&Known::is_prepared) && (node.op != Op::kFull || std::isfinite(ir::double_attribute(node, "value")));
  known.is_sign_free = node.op == Op::kVar || (node.op == Op::kMean && first.is_sign_free) ||
                       (node.op == Op::kMul && node.operands[0] == node.operands[1]);
  const bool is_raised = node.op == Op::kAdd && first.is_sign_free &&
                         std::holds_alternative<ir::Scalar>(node.operands[1]) && number_of(node.operands[1]) > 0;
  known.is_positive = is_raised || (node.op == Op::kSqrt && first.is_positive);
  const bool stays_bounded = node.op == Op::kMul || node.op == Op::kAdd || node.op == Op::kSub;
  known.is_bounded = known.is_prepared || (node.op == Op::kRsqrt && first.is_positive) || node.op == Op::kSigmoid ||
                     node.op == Op::kTanh || (stays_bounded && all(&Known::is_bounded));
  known.is_computed = is_product_with_number(node) ? first.is_computed : rounds(node.op);
  return known;
}

bool Factors::is_factor(const Operand& operand) const {
  return ir::is_tensor(operand) ? at(std::get<ValueId>(operand)).is_bounded : std::isfinite(number_of(operand));
}

// What is divided by zero is infinite, of either sign.
bool Factors::is_divisor(const Operand& operand) const {
  return ir::is_tensor(operand) ? at(std::get<ValueId>(operand)).is_positive
                                : std::isfinite(number_of(operand)) && number_of(operand) != 0;
}

// A term that is added to an input may cancel it without any error, which behind the sum it would not. What was rounded
// is off by as much already.
bool Factors::may_leave_sum(const ir::Node& node, size_t side) const {
  const Operand& other = node.operands[1 - side];
  switch (node.op) {
    case Op::kMul:
      return is_factor(other);
    case Op::kDiv:
      return side == 0 && is_divisor(other);
    case Op::kAdd:
    case Op::kSub:
      return at(ir::tensor_operand(node, side)).is_computed;
    default:
      return false;
  }
}

}  // namespace stitch::plan
