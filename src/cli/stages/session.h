// SPDX-License-Identifier: Apache-2.0
// What one command holds: its options, where things lie, the reporter, and one Python process (importing PyTorch costs
// more than a second, so it is started once, at first use).
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/fs/files.h"
#include "base/json/json_forward.h"
#include "base/process/json_channel.h"
#include "cli/options/command_line.h"
#include "cli/options/resources.h"
#include "cli/output/reporter.h"
#include "cli/runs/run_log.h"
#include "evaluate/runner/program_runner.h"
#include "toolchain/cache/cache_use.h"

namespace stitch::cli {

// How built programs are run: in worker processes, but where a bench compares with something else.
using RunCandidates = std::function<evaluate::StartCandidate(evaluate::RunnerOptions)>;

class Session {
 public:
  Session(CommandLine line, Resources resources, Reporter& reporter, RunLog& run_log, RunCandidates run_candidates)
      : line_(std::move(line)),
        resources_(std::move(resources)),
        reporter_(reporter),
        run_log_(run_log),
        run_candidates_(std::move(run_candidates)) {}

  const CommandLine& line() const { return line_; }
  const Resources& resources() const { return resources_; }
  Reporter& reporter() { return reporter_; }
  RunLog& run_log() { return run_log_; }
  const RunCandidates& run_candidates() const { return run_candidates_; }

  // The Python process, started at first use; always from the thread that outlives the command.
  Result<JsonChannel*> python();
  Result<Json> ask(const std::string& verb, const Json& arguments, int64_t timeout_ms);

  // Until the session ends, what it touches in the cache is kept there.
  void use_cache(const std::filesystem::path& cache) { cache_use_.emplace(cache); }

 private:
  CommandLine line_;
  Resources resources_;
  Reporter& reporter_;
  RunLog& run_log_;
  RunCandidates run_candidates_;
  // Declared before the process, so that it goes after it: whatever PyTorch or the user's program leaves there.
  std::optional<TemporaryDirectory> python_temporary_;
  std::optional<JsonChannel> python_;
  std::string python_program_;  // the program that it was last asked about
  std::optional<toolchain::CacheUse> cache_use_;
};

}  // namespace stitch::cli
