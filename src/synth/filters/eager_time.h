// SPDX-License-Identifier: Apache-2.0
// What a call takes in eager PyTorch, modelled: each operator is a launch of its own that reads its operands and writes
// its result. A model, and told as one; --measure asks a GPU.
#pragma once

#include "kernels/template/device_limits.h"
#include "synth/filters/task_facts.h"

namespace stitch::synth {

struct EagerTime {
  double ms = 0;       // launches and work
  double work_ms = 0;  // what the GPU is busy for
  size_t launches = 0;
};
EagerTime eager_time(const TaskFacts& facts, const kernels::DeviceLimits& device);

// Limits within which a task is worth a candidate's while: below the shortest launches decide, above the longest
// nobody can try often.
inline constexpr double kMinimumMs = 1;
inline constexpr double kMaximumMs = 100;
// The host needs some microseconds for each operator; a GPU that works as long is never waited for.
bool is_gpu_bound(const EagerTime& time);
// The largest tensor has fewer elements than a 32-bit index reaches, and a call fits a GPU of 80 GB beside a verdict.
bool fits_memory(const TaskFacts& facts);

}  // namespace stitch::synth
