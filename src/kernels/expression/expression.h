// SPDX-License-Identifier: Apache-2.0
// One pointwise operator as an expression of its operands.
#pragma once

#include <vector>

#include "kernels/code/step_builder.h"
#include "kernels/code/expr.h"

namespace stitch::kernels {

// Refuses, with the operator's name, what kernels cannot compute: operators that the table lacks for these elements.
Result<void> check_expression(const ir::Graph& graph, const ir::Node& node);
// Numbers among the attributes become named constants of the step.
Result<Expr> expression(const ir::Graph& graph, const ir::Node& node, const std::vector<Expr>& operands,
                        StepBuilder& step);
// Operand i, which is a number, as a literal or the name of a constant.
Expr scalar_operand(const ir::Graph& graph, const ir::Node& node, size_t i, StepBuilder& step);
// Lane operations it takes, for the cost model: 1 for an addition, more for exp, erf...
double lane_operations(const ir::Node& node);

}  // namespace stitch::kernels
