// SPDX-License-Identifier: Apache-2.0
// What the recurrent layers share. Each takes the input's share of all gates, computed beforehand by one product over
// all time steps, and runs through time once per direction:
//   NAME(gates [t, b, g*h], hidden [d, b, h], (cell [d, b, h],) weight [g*h, h], bias [g*h] or none,
//        reverse gates, reverse weight, reverse bias: the same of the second direction, all none for one direction)
//     -> (output [t, b, d*h], last hidden [d, b, h] (, last cell [d, b, h]))
// d = 1 or 2: the second direction runs from the last time step to the first.
#pragma once

#include <functional>

#include "ir/ops/support/checks.h"

namespace stitch::ir {

struct RecurrentKind {
  int64_t gates = 1;  // g
  bool has_cell = false;
};

// One unit of one sample: from the input's and the hidden state's share of each gate to the new hidden state.
using RecurrentUnit = std::function<double(const std::vector<double>& from_input,
                                           const std::vector<double>& from_hidden, double hidden, double& cell)>;

// Where the operands of a node stand: three of a direction, and what both share.
struct RecurrentOperands {
  size_t gates, weight, bias;
};
RecurrentOperands recurrent_operands(const RecurrentKind& kind, size_t direction);

Types infer_recurrent(const Graph& graph, const Node& node, const RecurrentKind& kind);
std::vector<ReferenceTensor> run_recurrent(const Graph& graph, const Node& node,
                                           const std::vector<const ReferenceTensor*>& operands,
                                           const RecurrentKind& kind, const RecurrentUnit& unit);

}  // namespace stitch::ir
