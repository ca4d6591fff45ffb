// SPDX-License-Identifier: Apache-2.0
// Scaling and adding of what is the same along some axes: a mean over these axes may be taken before it or behind it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "plan/algebra/factors.h"
#include "plan/rewrite/node_chain.h"

namespace stitch::plan {

// Whether an operand of what has `type` is the same along `axes` (and of the same element type).
bool is_alike_along(const ir::Graph& graph, const ir::Operand& operand, const TensorType& type,
                    const std::vector<int64_t>& axes);

// The operand of a float32 node that is scaled, or added to, by what is the same along `axes` and may be done to sums
// over them; none for other nodes.
std::optional<size_t> scaled_operand(const Factors& factors, const ir::Node* node, const std::vector<int64_t>& axes);

// How many elements of `shape` lie along `axes`: a number, but where the first axis is among them, which is the batch
// as a rule, a float32 value, so that a plan may take it as an argument.
ir::Operand elements_along(NodeChain& into, const std::vector<int64_t>& shape, const std::vector<int64_t>& axes,
                           const std::string& suffix);

// The sum along `axes` of a term that is added to each element of `shape`, and is the same along them.
ir::Operand sum_of_term(NodeChain& into, const ir::Operand& term, const std::vector<int64_t>& shape,
                        const std::vector<int64_t>& axes, const std::string& suffix);

// `chain` of the old graph, its last node first, done to what its first node's operand has become: that one's mean over
// `axes`, or its sum where `is_mean` is false.
ir::ValueId repeated_on_reduced(const Factors& factors, const GraphCopy& copy, NodeChain& into,
                                const std::vector<const ir::Node*>& chain, ir::ValueId reduced,
                                const std::vector<int64_t>& axes, bool is_mean);

}  // namespace stitch::plan
