// SPDX-License-Identifier: Apache-2.0
// What a training run left in its folder, and of a stage of a chain what the stages before it left.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/error/result.h"

namespace stitch::report {

// The texts of one run; empty where there is no such file.
struct RunRecords {
  std::string name{};     // of the stage, or of the folder
  std::string config{};   // config.json: the keys that count
  std::string metrics{};  // metrics.jsonl: a line a step
  std::string costs{};    // costs.jsonl: seconds and tokens, a line a step or a part
};

// In the order in which they ran, the named one last: chain.json names those before it. kFileInvalid where `run` is no
// folder of a run; an earlier stage that is not there any more is left out.
Result<std::vector<RunRecords>> read_run_records(const std::filesystem::path& run);

}  // namespace stitch::report
