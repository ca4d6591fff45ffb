// SPDX-License-Identifier: Apache-2.0
// A command line as the request of a bench, and what of it each task's own process is handed.
#pragma once

#include "bench/run/bench.h"
#include "cli/options/command_line.h"

namespace stitch::cli {

// `problems`: where the suite of that name lies.
Result<bench::BenchRequest> bench_request_of(const CommandLine& line, const std::filesystem::path& problems);

// --jobs, or half of the processors.
int jobs_of(const BenchOptions& options);

}  // namespace stitch::cli
