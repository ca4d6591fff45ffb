// SPDX-License-Identifier: Apache-2.0
// One pointwise operator as an expression of its operands.
#pragma once

#include <optional>
#include <vector>

#include "kernels/code/expr.h"
#include "kernels/code/step_builder.h"

namespace stitch::kernels {

// Refuses, with the operator's name, what kernels cannot compute: operators that the table lacks for these elements.
Result<void> check_expression(const ir::Graph& graph, const ir::Node& node);
// Numbers among the attributes become named constants of the step.
Result<Expr> expression(const ir::Graph& graph, const ir::Node& node, const std::vector<Expr>& operands,
                        StepBuilder& step);
// Operand i, which is a number, as a literal or the name of a constant.
Expr scalar_operand(const ir::Graph& graph, const ir::Node& node, size_t i, StepBuilder& step);
// What x * tanh(softplus(x)) is made of: PyTorch's mish, which takes one exponential and one division.
struct Mish {
  ir::ValueId x;
  ir::ValueId softplus;
  ir::ValueId tanh;
};
// nullopt for a node that is no such product.
std::optional<Mish> mish_of(const ir::Graph& graph, const ir::Node& node);
constexpr double kMishOperations = 24;
// Lane operations it takes, for the cost model: 1 for an addition, more for exp, erf...
double lane_operations(const ir::Node& node);

}  // namespace stitch::kernels
