// SPDX-License-Identifier: Apache-2.0
// Kernels as a beginner writes them, in the place of our own: right, and slow where memory or reuse counts.
#pragma once

#include <string_view>
#include <vector>

namespace stitch::agents {

// What stands for a call `return stitch::LAUNCH<FIRST, ...>(arguments...)`. In `statements` "$0" is the first template
// argument and "$1" and so on are the arguments of the call, without the stream.
struct NaiveKernel {
  std::string_view launch;  // "launch_map"
  size_t arguments;         // of the call, its stream among them: with others it takes more than this kernel knows
  std::string_view kernel;  // its definition
  std::string_view statements;
};

// nullptr where nobody wrote one.
const NaiveKernel* naive_kernel_for(std::string_view launch);

}  // namespace stitch::agents
