// SPDX-License-Identifier: Apache-2.0
// Time from what ran: the counts of an emulated device's launches, held against a device's rates. It sees code that no
// plan describes, a step that a person or a model wrote, and is modelled all the same: nothing was measured.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "artifact/report/launch_record.h"
#include "kernels/template/device_limits.h"
#include "kernels/template/kernel_template.h"
#include "plan/executed/launch_time.h"
#include "plan/plan.h"

namespace stitch::plan {

// What a step, or a program, must do at least.
struct LeastWork {
  double flops = 0;
  double bytes = 0;
  double launches = 1;                        // as its plan has them
  double result_bytes = 0;                    // of `bytes`, those of what it makes
  kernels::Pipe pipe = kernels::Pipe::kFp32;  // of a library's functions, which do not say
};
struct ProgramWork {
  std::vector<LeastWork> steps;
  LeastWork whole;  // what belongs to no step is held against it
};
// Of the steps that run() takes; those of prepare() are there and empty.
ProgramWork work_of(const Plan& plan);

// At the declared sizes.
struct ExecutedCounts {
  double launches = 0;
  double bytes = 0;    // of global memory, read and written, each once a launch
  double sectors = 0;  // of 32 bytes, each once a warp's access; those of atomics included
  double missed = 0;   // of those, what L1 does not have, and all that is written
  double wavefronts = 0;
  double atomics = 0;
  double flops = 0;         // of the graph
  double tensor_flops = 0;  // that tensor cores did
};

struct StepExecution {
  int step = -1;                        // -1: what belongs to none
  MemoryAccesses counted;               // all launches together, at the sizes that ran
  int64_t launches = 0;                 // likewise
  std::vector<LaunchRecord> kernels{};  // likewise, one by one
  ExecutedCounts counts;
  ExecutedBound bound = ExecutedBound::kLaunches;
  double executed_us = 0;
};

struct Execution {
  std::vector<StepExecution> steps;  // those that launched something, in the plan's order
  double executed_us = 0;
};

// `ran` is the work at the sizes of the launches, `declared` at those that the time is for. A count is carried from one
// to the other as the least work grows, and what goes beyond the least as the arithmetic does; no count goes below the
// least (docs/executed.md).
Execution execution_of(const std::vector<LaunchRecord>& launches, const ProgramWork& ran, const ProgramWork& declared,
                       const kernels::DeviceLimits& limits);

}  // namespace stitch::plan
