// SPDX-License-Identifier: Apache-2.0
// The time of one step with one setting on the GPU of this machine: built as a program of its own, run by a worker,
// timed by the keeper.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "evaluate/timed_calls/timing.h"
#include "evaluate/timing/abba.h"
#include "plan/plan.h"
#include "toolchain/discovery/toolchain.h"
#include "tuning/database/database.h"

namespace stitch::tuning {

struct MeasureOptions {
  std::filesystem::path runtime_folder;
  std::string architecture;                  // "sm_90a"
  std::vector<std::string> library_folders;  // where the worker looks for cuBLASLt and cuDNN
  // Calls what it is given while nobody else times on this GPU: a second process there halves and doubles times.
  std::function<Result<void>(const std::function<Result<void>()>&)> alone;
};

// Contents for step `index` as a program of its own, whatever its setting.
Result<std::vector<evaluate::TimedDraw>> draws_of_step(const plan::Plan& plan, size_t index);

// Builds step `index` of `plan` with `setting`, so that measure_setting finds it built. From any number of threads.
Result<void> build_setting(const plan::Plan& plan, size_t index, const kernels::Setting& setting,
                           const toolchain::Toolchain& tools, const MeasureOptions& options);

// Times the setting on `draws`, which are the step's. One that does not build, or crashes, has the time infinity; one
// whose times stay unsteady has none. An Error means that the machine could not measure.
Result<std::optional<Measurement>> measure_setting(const plan::Plan& plan, size_t index,
                                                   const kernels::Setting& setting,
                                                   const std::vector<evaluate::TimedDraw>& draws,
                                                   const toolchain::Toolchain& tools, const MeasureOptions& options);

// Builds the whole program, so that measure_plan finds it built. From any number of threads.
Result<void> build_whole(const plan::Plan& plan, const toolchain::Toolchain& tools, const MeasureOptions& options);

// Times the whole program, likewise.
Result<std::optional<Measurement>> measure_plan(const plan::Plan& plan, const toolchain::Toolchain& tools,
                                                const MeasureOptions& options);

// Two whole programs that compute the same, in turns.
struct Turns {
  evaluate::Speedup
      speedup{};        // of `plan` over `other`; 0 where the plan does not run, infinite where the other does not
  double other_us = 0;  // median of its blocks
};
Result<Turns> take_turns(const plan::Plan& plan, const plan::Plan& other, const toolchain::Toolchain& tools,
                         const MeasureOptions& options);

}  // namespace stitch::tuning
