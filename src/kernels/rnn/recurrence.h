// SPDX-License-Identifier: Apache-2.0
// What the skeletons of recurrent layers share: the terms in which they see a layer, and the functors that feed it and
// take its states.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernels/code/step_builder.h"

namespace stitch::kernels {

// What one direction reads.
struct RecurrentDirection {
  ir::ValueId gates, weight;
  std::optional<ir::ValueId> bias;
};

struct RecurrentProblem {
  bool has_cell = false;
  std::string cell;  // "stitch::LstmCell"
  int64_t gates = 1;
  ir::ValueId hidden, initial_cell;
  std::vector<RecurrentDirection> directions;
  int64_t steps = 1, batch = 1, units = 1;
  auto direction_count() const { return static_cast<int64_t>(directions.size()); }
};

bool is_recurrent_layer(const ir::Node& node);
RecurrentProblem recurrent_problem(const ir::Graph& graph, const ir::Node& node);

// Whether the group reads `value` from memory where its elements lie side by side.
bool lies_contiguous(const Group& group, ir::ValueId value);
// The last states are written again at every step, so nothing but their own place may follow from them: a chain behind
// them could read what it overwrites.
Result<void> check_last_states(const Group& group);

// An initial state as a functor of direction, sample and unit.
Result<void> add_initial_state(StepBuilder& step, ir::ValueId state, const std::string& variable,
                               const std::string& comment);
// Those of the group's results that follow from a new state of the root, as a functor of time, sample, direction and
// unit.
Result<void> add_recurrent_store(StepBuilder& step, const RecurrentProblem& layer,
                                 const std::vector<ir::ValueId>& results);
Expr recurrent_pointer(StepBuilder& step, ir::ValueId value, const std::string& role);

}  // namespace stitch::kernels
