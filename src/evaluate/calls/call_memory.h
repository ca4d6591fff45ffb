// SPDX-License-Identifier: Apache-2.0
// One set of memory for a call, and the types of the tensors in it.
#pragma once

#include <vector>

#include "artifact/tensor/tensor_spec.h"
#include "evaluate/processes/memory_group.h"

namespace stitch::evaluate {

struct CallMemory {
  MemoryGroup inputs;   // inputs, then states in
  MemoryGroup results;  // outputs, then states out
  // The types in this call. With a run-time batch they differ from the declared ones.
  std::vector<TensorType> input_types;
  std::vector<TensorType> output_types;
  std::vector<TensorType> state_types;
  // For each old state the index of the new state that shares its memory, -1 where none does.
  std::vector<int> replaced_by;

  // Where an old state lies in this call: in its own region, or in that of its new value.
  wire::Region old_state(size_t index) const;
};

}  // namespace stitch::evaluate
