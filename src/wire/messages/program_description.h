// SPDX-License-Identifier: Apache-2.0
// What a program says about itself (describe() of stitch_program.h), as a value the supervisor can read. It is the
// candidate's word: counts and sizes are bounded here, their truth is for the reader to check.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "artifact/tensor/tensor_spec.h"
#include "base/json/json_forward.h"

namespace stitch::wire {

struct TensorDescription {
  TensorSpec spec;                     // with the declared extents
  std::vector<int64_t> run_time_axes;  // per axis 1 when another extent is accepted
  std::vector<int64_t> min_extents;
  std::vector<int64_t> max_extents;
  bool is_optional = false;  // an input that may be left out: random numbers in place of drawn ones
  int64_t alias_of = -1;     // for a state output: the index of the state input it replaces
};

struct ProgramDescription {
  std::string name;
  uint64_t prepared_bytes = 0;
  std::vector<TensorDescription> inputs;
  std::vector<TensorDescription> parameters;  // parameters, then constants
  std::vector<TensorDescription> states_in;
  std::vector<TensorDescription> states_out;
  std::vector<TensorDescription> outputs;
};

Json to_json(const ProgramDescription& description);
Result<ProgramDescription> program_description_from_json(const Json& json);

}  // namespace stitch::wire
