// SPDX-License-Identifier: Apache-2.0
// Pointwise work whose operands are seen through permutations: along what it reads, and the same work in another order.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plan/rewrite/graph_copy.h"

namespace stitch::plan {

// The last axis that has more than one element, -1 for none.
int64_t innermost_axis(const std::vector<int64_t>& shape);

// The node that makes `value`, null for an input.
const ir::Node* maker(const ir::Graph& graph, ir::ValueId value);

// Null is none.
bool is_permute(const ir::Node* node);

// Pointwise and the same for the same operands.
bool is_pointwise(const ir::Node& node);

// Whether neighbours of what `permute` makes along `axis` are neighbours before the permutation.
bool runs_along(const ir::Graph& graph, const ir::Node& permute, int64_t axis);

// Whether an operand of `node` is more than a small part of its result: less stays in a cache in any order.
bool is_large_operand(const ir::Graph& graph, const ir::Node& node, const ir::Operand& operand);

// The permutations that the large operands of `node` are seen through, each of as many axes as
// the result; empty where one of them is seen as it is.
std::vector<const ir::Node*> permutes_of_operands(const ir::Graph& graph, const ir::Node& node);

// permute(`made`, `dims`), computed in that order: its operands are permuted instead. `made` is a pointwise node of
// `from`; the result is a value of the new graph, called `name`.
Result<ir::ValueId> permuted(GraphCopy& copy, const ir::Graph& from, const ir::Node& made,
                             const std::vector<int64_t>& dims, const std::string& name);

}  // namespace stitch::plan
