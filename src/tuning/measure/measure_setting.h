// SPDX-License-Identifier: Apache-2.0
// The time of one step with one setting on the GPU of this machine: built as a program of its own, run by a worker,
// timed by the keeper.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

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

// Step `index` of `plan` with `setting`. A setting that does not build or crashes has the time infinity; errors are the
// world's. Call it from several threads at once: what uses the GPU waits for its turn.
Result<Measurement> measure_setting(const plan::Plan& plan, size_t index, const kernels::Setting& setting,
                                    const toolchain::Toolchain& tools, const MeasureOptions& options);

}  // namespace stitch::tuning
