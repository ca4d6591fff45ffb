// SPDX-License-Identifier: Apache-2.0
// A run, or several beside each other, as pages that need no network; around the parts of src/report.
#pragma once

#include <filesystem>
#include <vector>

#include "bench/run/bench.h"

namespace stitch::bench {

// RUN/report.html. `assets`: the folder report/ of this installation. kEnvironment where it is not whole.
Result<void> write_run_page(const BenchReport& report, const std::filesystem::path& assets);

// `out`/index.html with all runs, `out`/runs/ID/index.html for each, and beside it the report of each of its programs.
Result<void> write_leaderboard(const std::vector<BenchReport>& reports, const std::filesystem::path& assets,
                               const std::filesystem::path& out);

}  // namespace stitch::bench
