// SPDX-License-Identifier: Apache-2.0
// What PyTorch says of a task's text without computing it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/error/result.h"
#include "base/json/json_forward.h"

namespace stitch::synth {

// One operator of a call, in PyTorch's eager form; views are none.
struct OperatorWork {
  double flops = 0;
  double bytes = 0;
  bool is_16_bit = false;
};

struct TaskFacts {
  std::vector<uint64_t> subtrees{};  // digests of those of its syntax tree, sorted, as often as they stand
  std::string failed{};              // why it cannot be called; empty: all that follows is known
  std::string signature{};           // of its operators, without sizes, names and order
  std::vector<std::string> operators{};
  std::vector<OperatorWork> work{};
  double largest = 0;  // elements of a tensor
  double parameter_bytes = 0;
  bool draws = false;  // random numbers
};

// The answer to "task.look".
Result<TaskFacts> task_facts_from_json(const Json& json);
Result<std::vector<uint64_t>> subtrees_from_json(const Json& json);

}  // namespace stitch::synth
