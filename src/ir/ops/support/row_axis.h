// SPDX-License-Identifier: Apache-2.0
// Operators that work on one axis of a tensor line by line: sorts, running sums.
#pragma once

#include <functional>

#include "ir/ops.h"
#include "ir/ops/support/checks.h"

namespace stitch::ir {

// One line of the operand to one line of each output.
using LineFunction =
    std::function<void(const Node&, const std::vector<double>& line, const std::vector<std::vector<double>*>& results)>;

// Output i of every line along attribute `dim` of operand 0; each output may have another extent there.
std::vector<ReferenceTensor> line_by_line(const Graph& graph, const Node& node, const ReferenceTensor& operand,
                                          const LineFunction& function);

// The type of operand 0, which has at least one axis and, along `dim`, one element.
Result<const TensorType*> type_with_axis(const Graph& graph, const Node& node);

// An operator of attribute `dim` whose one result has the operand's type.
enum class RunningRule { kNumber, kFloatingPoint };
OpDef running(RunningRule rule, std::function<double(double total, double next)> join, double start);

// The extreme so far and the last position it stands at, int64.
OpDef running_extreme(bool is_largest);

}  // namespace stitch::ir
