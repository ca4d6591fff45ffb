// SPDX-License-Identifier: Apache-2.0
// What a person sees of a bench while it runs: a line for each task that runs, and one that stays for each that ended.
#pragma once

#include "bench/run/bench.h"
#include "cli/output/reporter.h"

namespace stitch::cli {

// `reporter` must outlive the events.
bench::BenchEvents bench_events(Reporter& reporter);

// "ok, 82.2 us modelled (3.1 s)  [3/50]"
std::string row_text(const bench::TaskResult& result, size_t done, size_t of);

}  // namespace stitch::cli
