// SPDX-License-Identifier: Apache-2.0
// The user's own program in PyTorch as the baseline of ours: in a worker of its own, behind the protocol of programs.
#pragma once

#include <optional>

#include "artifact/device_kind.h"
#include "artifact/task/task.h"
#include "driver/job/job.h"
#include "tuning/measure/time_program.h"

namespace stitch::driver {

// As --baseline says; on a GPU eager where it says nothing. Empty: none was asked for.
Result<std::optional<tuning::Baseline>> find_baseline(Job& job, const Task& task, DeviceKind device);

// On the emulated device: both take turns as they would on a GPU, which shows that they do; no time is told.
Result<tuning::BaselineTimes> take_turns_without_gpu(const evaluate::TimedSubject& subject, const std::string& library,
                                                     tuning::Baseline baseline, sandbox::CageMode cage);

// "eager 812.0 us: 3.50 times as fast (3.41 to 3.62)", or why nothing may be said.
std::string describe(const tuning::BaselineTimes& baseline);
// `is_told`: false where no time of ours may be reported.
Json to_json(const tuning::BaselineTimes& baseline, bool is_told);

}  // namespace stitch::driver
