// SPDX-License-Identifier: Apache-2.0
// The time of what ran (plan/executed/executed.h): a program, or one step of it, is called once on the emulated device,
// which counts what its kernels do. Modelled, never measured; the same program gives the same number.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "artifact/report/listed_launches.h"
#include "artifact/source/source_bundle.h"
#include "base/json/json_forward.h"
#include "driver/job/job.h"
#include "plan/executed/executed.h"
#include "plan/plan.h"
#include "toolchain/build/authors.h"
#include "toolchain/discovery/toolchain.h"

namespace stitch::driver {

struct ExecutedRequest {
  const plan::Plan& plan;       // of the program at the sizes that it is called with
  const SourceBundle& sources;  // its files as they are now; step files may be anybody's
  // The plan at the sizes that the time is for, where the program is called with reduced ones; null: the same.
  const plan::Plan* declared = nullptr;
  std::string sizes = "declared sizes";  // that it is called with, in words
  toolchain::Authors authors{};          // it is built as for its verdict
};

// What the host has the device do in a call, beside the work of kernels. Counted, but for the last two: these follow
// from the plan.
struct HostCounts {
  int64_t launches = 0;
  int64_t waits = 0;  // of a stream for another
  int64_t allocations = 0;
  int64_t synchronisations = 0;
  int64_t copied_bytes = 0;
  int64_t workspace_bytes = 0;
  double idle_us = 0;  // when no kernel works, modelled
};
// "8 launches, 2 waits for other streams, ..."
std::string describe(const HostCounts& counts);

struct ExecutedTime {
  std::string device;                        // whose rates: "H200"
  std::string sizes{};                       // that it was called with
  std::vector<plan::StepExecution> steps{};  // by number in the plan; -1: launches outside of all steps
  double executed_us = 0;                    // of run(): all of these together
  HostCounts host{};
  ListedLaunches launches{};  // of the same call without the counts
  // Why there is no time, where the candidate is the reason: it does not build, it ended badly, it gave other results
  // than without the counts. Then `steps` is empty.
  std::string refusal{};
};

// The whole program. An Error means that the world failed.
Result<ExecutedTime> executed_time(Job& job, const toolchain::Toolchain& tools, const ExecutedRequest& request);

// Step `step` of it alone, built from its file as a program of its own; its one entry in `steps` has the number `step`.
Result<ExecutedTime> executed_step(Job& job, const toolchain::Toolchain& tools, const ExecutedRequest& request,
                                   int step);

Json to_json(const plan::StepExecution& execution);

}  // namespace stitch::driver
