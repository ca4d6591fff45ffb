// SPDX-License-Identifier: Apache-2.0
// Places that a program numbers: arange, laid along one axis, against which it compares what it looks for.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/graph/graph.h"

namespace stitch::plan {

// What makes the operand; null for an input, and for what is no tensor.
const ir::Node* maker_of(const ir::Graph& graph, const ir::Operand& operand);

// Of the axis that many before the last; 1 where there is none.
int64_t extent_from_last(const std::vector<int64_t>& shape, size_t axis);

// The arange of n places that `operand` has along its axis `from_last`, being alike along all others; null for none.
const ir::Node* numbering(const ir::Graph& graph, const ir::Operand& operand, size_t from_last, int64_t n);

}  // namespace stitch::plan
