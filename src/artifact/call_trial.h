// SPDX-License-Identifier: Apache-2.0
// Circumstances under which a call of a program can be made, to see who does its work.
#pragma once

namespace stitch {

// The numbers travel to the worker.
enum class CallTrial {
  kNone = 0,
  kApart = 1,               // host code cannot touch the device's memory, as on a GPU
  kWithoutKernels = 2,      // likewise, and kernels and functions of libraries do nothing
  kDeviceCopiesAlone = 3,   // likewise, and copies from the host bring garbage
  kWithoutOne = 4,          // like kApart, and one kernel does nothing
  kWithoutKernelsOpen = 5,  // kernels do nothing, and host code can touch all memory
};
constexpr int kCallTrials = 6;

// Of those in which all of it runs.
constexpr bool runs_wholly(CallTrial trial) { return trial == CallTrial::kNone || trial == CallTrial::kApart; }

// Of those in which no kernel runs.
constexpr bool is_without_kernels(CallTrial trial) {
  return trial == CallTrial::kWithoutKernels || trial == CallTrial::kWithoutKernelsOpen;
}

}  // namespace stitch
