// SPDX-License-Identifier: Apache-2.0
// One call of a program as the worker is asked to make it.
#pragma once

#include <cstdint>
#include <vector>

#include "wire/messages/tensor_argument.h"

namespace stitch::wire {

struct CallArguments {
  std::vector<TensorArgument> inputs;
  std::vector<TensorArgument> states_in;
  std::vector<TensorArgument> states_out;
  std::vector<TensorArgument> outputs;
  Region workspace;
  uint64_t rng_seed = 0;
  uint64_t rng_offset = 0;
};

Json to_json(const CallArguments& call);
Result<CallArguments> call_arguments_from_json(const Json& json);

}  // namespace stitch::wire
