// SPDX-License-Identifier: Apache-2.0
// The user's own program in PyTorch as the baseline of ours: in a worker of its own, behind the protocol of programs.
#pragma once

#include <optional>

#include "artifact/device_kind.h"
#include "artifact/task/task.h"
#include "driver/job/job.h"
#include "tuning/measure/time_program.h"

namespace stitch::driver {

// The baseline that --baseline names; on a GPU eager where it names none. Empty when none was asked for.
Result<std::optional<tuning::Baseline>> find_baseline(Job& job, const Task& task, DeviceKind device);

// The one of that name: "eager", "compile" (torch.compile), or "graph" (eager, captured once by torch.cuda.graph over
// each timed call's own memory, and replayed).
Result<std::optional<tuning::Baseline>> baseline_named(Job& job, const Task& task, DeviceKind device,
                                                       const std::string& name);

// Runs both in turns on the emulated device as on a GPU, to show that they run. Reports no time.
Result<tuning::BaselineTimes> take_turns_without_gpu(const evaluate::TimedSubject& subject, const std::string& library,
                                                     tuning::Baseline baseline, sandbox::CageMode cage);

// "eager 812.0 us: 3.50 times as fast (3.41 to 3.62)", or why nothing may be said.
std::string describe(const tuning::BaselineTimes& baseline);
// `is_told`: false where no time of ours may be reported.
Json to_json(const tuning::BaselineTimes& baseline, bool is_told);

}  // namespace stitch::driver
