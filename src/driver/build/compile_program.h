// SPDX-License-Identifier: Apache-2.0
// Graph to plan to sources to libraries.
#pragma once

#include <optional>
#include <string>

#include "artifact/device_kind.h"
#include "artifact/report/compile_report.h"
#include "artifact/report/finding.h"
#include "artifact/source/source_bundle.h"
#include "driver/job/job.h"
#include "ir/graph/graph.h"
#include "plan/plan.h"
#include "toolchain/build/authors.h"
#include "toolchain/discovery/toolchain.h"

namespace stitch::driver {

struct EmittedProgram {
  plan::Plan plan;
  SourceBundle bundle;
};

// What a plan follows beside the job's options.
struct PlanBy {
  plan::MeasuredTimes measured{};    // none: settings are chosen by estimates
  plan::WantedForm form{};           // what is left open: the faster one
  const plan::Plan* like = nullptr;  // the plan of the same program at other sizes, whose settings are kept
};
Result<plan::Plan> make_plan(const Job& job, const ir::Graph& graph, MathMode math, PlanBy by = {});

// `like`: the plan of the same program at other sizes, whose settings are kept; null: settings are chosen.
Result<EmittedProgram> plan_and_emit(const Job& job, const ir::Graph& graph, MathMode math,
                                     const plan::Plan* like = nullptr);

// The limits of the device to plan for: the one of `like`, else of the first --target, else the first device we know.
Result<kernels::DeviceLimits> planned_limits(const Job& job, const plan::Plan* like = nullptr);

// The sources of a plan that was read from its file. `first_number`: of its steps, in the names of files and functions.
Result<EmittedProgram> emit_again(const Job& job, plan::Plan plan, size_t first_number = 0);

// The compilers of this machine, with our own emulator headers. From here on the job counts as a user of the cache.
Result<toolchain::Toolchain> find_compilers(Job& job);

// Builds quietly but for one progress line per unit under the name `stage`; empty: none.
Result<CompileReport> build_bundle(Job& job, const toolchain::Toolchain& tools, const SourceBundle& bundle,
                                   DeviceKind device, const std::string& stage, const toolchain::Authors& authors = {});

// What the compiler said of sources that do not compile.
Finding build_failed(const CompileReport& report, DeviceKind device);

}  // namespace stitch::driver
