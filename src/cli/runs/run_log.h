// SPDX-License-Identifier: Apache-2.0
// The record of this run, kept up to date while it runs. A folder that cannot be written costs one progress line and
// never the run. Safe from any thread.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "artifact/device_kind.h"
#include "cli/options/command_line.h"
#include "cli/output/reporter.h"
#include "runs/store/run_store.h"

namespace stitch::cli {

class RunLog {
 public:
  explicit RunLog(Reporter& reporter) : reporter_(reporter) {}

  // Makes the record; from here on what the reporter is told is the record's stage.
  void begin(const CommandLine& line);
  // The same for a record that is there: a run that goes on.
  void begin_again(runs::RunRecord record);
  // Where the record lies; empty where none is kept.
  std::filesystem::path folder();
  // What became known of the run.
  void learn(const std::function<void(runs::RunRecord&)>& change);
  // Leaves a small file beside the record, for `runs diff`.
  void keep(const std::string& name, const std::string& text);
  void fail(const Error& error);
  // What the user has after an interruption, and how to go on.
  Error interruption();
  // Of a verb without a record, whose results stay as they come: the command that goes on after an interruption.
  void goes_on_by(std::string command);
  // Each but the first end is ignored.
  void end(runs::RunState state);

 private:
  void make_record(const CommandLine& line);
  void listen();
  // Units that are compiled for a device, of how many.
  void count_built(DeviceKind device, size_t done, size_t total);
  void say_stage(const std::string& stage, const std::string& message);
  // Of a run that goes on running, without a word to the index.
  void write(bool is_progress);
  void prune(int64_t now);
  void warn_of_others();

  Reporter& reporter_;
  std::mutex mutex_;
  std::unique_ptr<runs::RunStore> store_;  // null: no record is kept
  runs::RunRecord record_;
  double written_seconds_ = 0;
  std::string goes_on_by_;
  std::map<DeviceKind, std::pair<size_t, size_t>> built_;
  std::atomic<bool> installed_ = false;
  std::atomic<bool> has_journal_ = false;  // of agents, from which it goes on
};

}  // namespace stitch::cli
