// SPDX-License-Identifier: Apache-2.0
// report.html of a training run.
#pragma once

#include <filesystem>

#include "report/report.h"
#include "report/training/run_records.h"

namespace stitch::report {

// The page, at most `max_bytes` long: curves have fewer points where it would be longer.
Result<std::string> render_training_page(const std::vector<RunRecords>& stages, const PageAssets& assets,
                                         size_t max_bytes = kMaxPageBytes);

// Reads `run`, a folder of `stitchcuda train`, and writes `page`. `own` is the folder report/ of this installation.
Result<void> write_training_page(const std::filesystem::path& run, const std::filesystem::path& own,
                                 const std::filesystem::path& page);

}  // namespace stitch::report
