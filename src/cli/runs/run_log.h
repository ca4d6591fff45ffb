// SPDX-License-Identifier: Apache-2.0
// The record of this run, kept up to date while it runs. A folder that cannot be written costs one progress line and
// never the run. Safe from any thread.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "cli/options/command_line.h"
#include "cli/output/reporter.h"
#include "runs/store/run_store.h"

namespace stitch::cli {

class RunLog {
 public:
  explicit RunLog(Reporter& reporter) : reporter_(reporter) {}

  // Makes the record; from here on progress lines are the record's stage.
  void begin(const CommandLine& line);
  // What became known of the run.
  void learn(const std::function<void(runs::RunRecord&)>& change);
  void fail(const Error& error);
  // Each but the first end is ignored.
  void end(runs::RunState state);

 private:
  void say_stage(const std::string& stage, const std::string& sentence);
  void write();

  Reporter& reporter_;
  std::mutex mutex_;
  std::unique_ptr<runs::RunStore> store_;  // null: no record is kept
  runs::RunRecord record_;
  double written_seconds_ = 0;
};

}  // namespace stitch::cli
