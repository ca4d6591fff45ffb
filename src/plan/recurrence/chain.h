// SPDX-License-Identifier: Apache-2.0
// A loop over time that repeats one cell, as tracing leaves it: nodes of one recurrent layer with the same weights,
// each of which starts from the state that the one before ended with. The cell may be an operator of its own
// (torch.nn's cells), or written out: act(linear(x, ...) + linear(state, ...)) with act tanh or relu.
// One linear of both side by side has been split before (split_cat.h).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ir/graph/graph.h"

namespace stitch::plan {

struct TimeStep {
  ir::NodeId node;    // whose results are the step's
  ir::ValueId gates;  // the input's share of the gates: [time, batch, gates], or [batch, gates] where it is written out
};

struct Chain {
  std::vector<TimeStep> steps;  // in the order of time
  bool is_written_out = false;
  ir::Op op{};  // rnn_layer, gru_layer or lstm_layer
  std::vector<std::pair<std::string, ir::Attribute>> attributes;
  std::vector<ir::ValueId> states;  // that the first step starts from: hidden, and cell of an LSTM
  ir::ValueId weight;
  ir::Operand bias;
  std::vector<bool> depends;  // by node: on a result of the first step
};

// The first chain of at least two steps whose gates can all be computed before it begins: none of them depends on a
// result of the chain, and of an LSTM nobody but the next step reads a cell state between steps.
std::optional<Chain> find_chain(const ir::Graph& graph);

}  // namespace stitch::plan
