// SPDX-License-Identifier: Apache-2.0
// Shell commands of a workspace, in the cage: no network, nothing to write but the workspace, limited in time, memory
// and processes. Those in the background live as long as the room.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "base/process/child.h"
#include "sandbox/policy/confinement.h"

namespace stitch::tools {

struct ShellRules {
  std::filesystem::path folder;  // where commands begin, and all that they may write to
  sandbox::CageMode cage = sandbox::CageMode::kCaged;
  uint64_t memory_bytes = uint64_t{8} << 30;  // of address space, each process
  uint64_t process_count = 128;
  uint64_t cpu_seconds = 900;               // each process
  uint64_t file_bytes = uint64_t{1} << 28;  // the longest file
  size_t background_count = 8;
};

struct ShellOutput {
  ExitState exit{};
  std::string text;  // both outputs as they came, the last 64 KiB
};

class ShellRoom {
 public:
  explicit ShellRoom(ShellRules rules) : rules_(std::move(rules)) {}

  // Waits at most that long, then ends it with all that it started.
  Result<ShellOutput> run(const std::string& command, int64_t timeout_ms);
  // One program by its list of arguments, no shell between.
  Result<ShellOutput> run_program(const std::vector<std::string>& words, int64_t timeout_ms);

  // The number that it is known by. kUsage where too many run.
  Result<int64_t> start(const std::string& command);
  struct Looked {
    bool is_running = false;
    ExitState exit{};
    std::string fresh{};  // what it has written since it was looked at
  };
  // After at most `wait_ms`, or once it has ended. kUsage for a number that no process has.
  Result<Looked> look(int64_t number, int64_t wait_ms);
  Result<void> end(int64_t number);
  // Ends all; how many were still running.
  size_t end_all();

 private:
  Result<Child> started(std::vector<std::string> words);
  Result<Child*> find(int64_t number);

  ShellRules rules_;
  int64_t last_number_ = 0;
  std::map<int64_t, Child> background_;
};

}  // namespace stitch::tools
