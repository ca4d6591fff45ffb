// SPDX-License-Identifier: Apache-2.0
// What one command holds: what was asked, and what it lends to the driver.
#pragma once

#include "cli/options/command_line.h"
#include "cli/output/reporter.h"
#include "cli/runs/run_log.h"
#include "driver/job/forked_python.h"
#include "driver/job/job.h"

namespace stitch::cli {

class Invocation {
 public:
  Invocation(CommandLine line, driver::Resources resources, Reporter& reporter, RunLog& run_log,
             driver::RunCandidates run_candidates)
      : line_(std::move(line)),
        reporter_(reporter),
        run_log_(run_log),
        services_{std::move(resources), reporter, std::move(run_candidates)} {}

  const CommandLine& line() const { return line_; }
  Reporter& reporter() { return reporter_; }
  RunLog& run_log() { return run_log_; }
  const driver::Services& services() const { return services_; }
  // For commands that start many jobs; null where none can be started: each job then loads PyTorch itself.
  std::unique_ptr<ForkServer> start_forks() const {
    Result<std::unique_ptr<ForkServer>> forks = driver::start_fork_server(services_.resources);
    return forks.has_value() ? std::move(*forks) : nullptr;
  }

 private:
  CommandLine line_;
  Reporter& reporter_;
  RunLog& run_log_;
  driver::Services services_;
};

}  // namespace stitch::cli
