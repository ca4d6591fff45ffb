// SPDX-License-Identifier: Apache-2.0
// A group of recurrent layers, each of which reads the output of the one below it, with the products of their inputs.
#pragma once

#include <optional>
#include <vector>

#include "base/error/result.h"
#include "kernels/rnn/recurrence.h"

namespace stitch::kernels {

// A layer with the product of its input.
struct StackedLayer {
  const ir::Node* node = nullptr;
  RecurrentProblem problem;
  ir::ValueId x;
  ir::ValueId input_weight;
  std::optional<ir::ValueId> input_bias;
};

struct Stack {
  std::vector<StackedLayer> layers;  // the lowest first
  bool is_batch_first = false;       // the input of the lowest
  const RecurrentProblem& top() const { return layers.back().problem; }
  auto count() const { return static_cast<int64_t>(layers.size()); }
};

// Fails, with the reason, where the group is anything else, or lies otherwise in memory than kernels/rnn/stack.cuh
// reads it.
Result<Stack> stack_of(const Group& group);
bool has_result(const Group& group, ir::ValueId value);

}  // namespace stitch::kernels
