// SPDX-License-Identifier: Apache-2.0
// One pointwise operator as a C++ expression of its operands, which are names or literals.
#pragma once

#include <string>
#include <vector>

#include "kernels/code/step_builder.h"

namespace stitch::kernels {

// Refuses, with the operator's name, what kernels cannot compute: double precision, and operators not in the table.
Result<void> check_expression(const ir::Graph& graph, const ir::Node& node);
// Scalars among the operands and attributes become named constants of the step.
Result<std::string> expression(const ir::Graph& graph, const ir::Node& node, const std::vector<std::string>& operands,
                               StepBuilder& step);
// The text of scalar operand i, as a literal or the name of a constant.
std::string scalar_operand(const ir::Graph& graph, const ir::Node& node, size_t i, StepBuilder& step);
// Lane operations it takes, for the cost model: 1 for an addition, more for exp, erf...
double lane_operations(const ir::Node& node);

}  // namespace stitch::kernels
