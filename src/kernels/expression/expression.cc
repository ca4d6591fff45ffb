// SPDX-License-Identifier: Apache-2.0
#include "kernels/expression/expression.h"

#include <fmt/format.h>

#include "kernels/expression/forms.h"
#include "kernels/expression/made_forms.h"

namespace stitch::kernels {
namespace {

// The element type the operator works in: that of its first tensor operand after a condition.
DataType working_dtype(const ir::Graph& graph, const ir::Node& node) {
  for (size_t i = node.op == "where" ? 1 : 0; i < node.operands.size(); ++i) {
    if (ir::is_tensor(node.operands[i])) {
      return graph.type(std::get<ir::ValueId>(node.operands[i])).dtype;
    }
  }
  return graph.type(node.outputs[0]).dtype;
}

// Integers are computed in int64_t, whatever their type.
bool is_narrow(DataType dtype) {
  return !is_floating_point(dtype) && dtype != DataType::kBool && dtype != DataType::kInt64;
}

}  // namespace

Result<void> check_expression(const ir::Graph& graph, const ir::Node& node) {
  const DataType dtype = working_dtype(graph, node);
  const PointwiseRow* row = find_pointwise(node.op);
  if (row == nullptr || row->form(dtype).kind == Form::Kind::kAbsent) {
    return failure(ErrorCode::kUnsupportedOperator,
                   fmt::format("no kernel computes {} of {} elements", node.op, to_string(dtype)), node.place);
  }
  return {};
}

Expr scalar_operand(const ir::Graph& graph, const ir::Node& node, size_t i, StepBuilder& step) {
  const auto& scalar = std::get<ir::Scalar>(node.operands[i]);
  const Literal value = literal(scalar, working_dtype(graph, node));
  if (speaks_for_itself(scalar) || (node.op == "pow" && is_square_root(scalar))) {
    return literal_expr(value);
  }
  const char* name = find_pointwise(node.op)->traits.scalar_names[i];
  return step.constant(fmt::format("{}_{}", graph.value(node.outputs[0]).name, name), value);
}

Result<Expr> expression(const ir::Graph& graph, const ir::Node& node, const std::vector<Expr>& operands,
                        StepBuilder& step) {
  STITCH_TRY(check_expression(graph, node));
  const DataType dtype = working_dtype(graph, node);
  const PointwiseRow& row = *find_pointwise(node.op);
  Expr made = fill(row.form(dtype), {graph, node, operands, dtype, step});
  if (row.traits.may_leave_range && is_narrow(dtype)) {
    return call(fmt::format("stitch::wrapped<{}>", cuda_type_name(dtype)), {std::move(made)});
  }
  return made;
}

double lane_operations(const ir::Node& node) {
  const PointwiseRow* row = find_pointwise(node.op);
  return row != nullptr ? row->cost : 1;
}

}  // namespace stitch::kernels
