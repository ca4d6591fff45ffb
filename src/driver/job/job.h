// SPDX-License-Identifier: Apache-2.0
// One request under way: its options, where our own files lie, who watches, and one Python process (importing PyTorch
// costs more than a second, so it is started once, at first use).
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "base/fs/files.h"
#include "base/json/json_forward.h"
#include "base/process/json_channel.h"
#include "driver/job/options.h"
#include "driver/job/progress.h"
#include "driver/job/resources.h"
#include "evaluate/runner/program_runner.h"
#include "toolchain/cache/cache_use.h"

namespace stitch::driver {

// How built programs are run: in worker processes, but where a bench compares with something else.
using RunCandidates = std::function<evaluate::StartCandidate(evaluate::RunnerOptions)>;

// What a face (the command line, a binding) lends to its requests.
struct Services {
  Resources resources;
  Progress& progress;
  RunCandidates run_candidates = evaluate::program_runner_factory;
};

class Job {
 public:
  // `services.progress` must outlive it.
  Job(Options options, const Services& services)
      : options_(std::move(options)),
        resources_(services.resources),
        progress_(services.progress),
        run_candidates_(services.run_candidates) {}

  const Options& options() const { return options_; }
  const Resources& resources() const { return resources_; }
  Progress& progress() { return progress_; }
  const RunCandidates& run_candidates() const { return run_candidates_; }
  // Seconds since the request began.
  double elapsed_seconds() const;

  // The Python process, started at first use. Call only from the thread that outlives the request.
  Result<JsonChannel*> python();
  Result<Json> ask(const std::string& verb, const Json& arguments, int64_t timeout_ms);

  // Keeps what the job touches in the cache from being pruned until the job ends.
  void use_cache(const std::filesystem::path& cache) { cache_use_.emplace(cache); }

 private:
  bool take_forked_python();

  Options options_;
  Resources resources_;
  Progress& progress_;
  RunCandidates run_candidates_;
  std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
  // Declared before the process, so that it goes after it: whatever PyTorch or the user's program leaves there.
  std::optional<TemporaryDirectory> python_temporary_;
  std::optional<JsonChannel> python_;
  std::string python_program_;  // the program that it was last asked about
  std::optional<toolchain::CacheUse> cache_use_;
};

}  // namespace stitch::driver
