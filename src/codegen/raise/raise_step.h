// SPDX-License-Identifier: Apache-2.0
// Everything a step's file says, decided.
#pragma once

#include <string>
#include <vector>

#include "kernels/code/step_code.h"
#include "plan/plan.h"

namespace stitch::codegen {

struct StepFile {
  size_t number = 0;                     // in the names of its file and its function
  std::string name;                      // "fc1_gelu"
  std::string program;                   // of the whole
  std::vector<std::string> mathematics;  // one line per operator, with its place in the model
  kernels::StepCode code;
  std::string written;  // the whole text, where somebody else wrote it; else empty
};

// One line for each node of the step: "h = linear(x, w, b)  model.py:14".
std::vector<std::string> mathematics_of(const plan::Plan& plan, size_t index);

Result<StepFile> raise_step(const plan::Plan& plan, size_t index, size_t number);

}  // namespace stitch::codegen
