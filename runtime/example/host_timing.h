// SPDX-License-Identifier: Apache-2.0
// What a call costs from and to host memory, one at a time and overlapped.
#pragma once

#include <string>

#include "stitch_program.h"
#include "tensors.h"

namespace stitch_example {

// Times `calls` calls on copies of `inputs` in host memory, prints a line, and checks that both ways give the same
// outputs bit for bit. States are advanced. Returns an empty string, or a sentence.
std::string time_host_calls(const StitchProgramV1* program, StitchHandle* handle, const TensorList& inputs,
                            const TensorList& states, const TensorList& outputs, int calls);

}  // namespace stitch_example
