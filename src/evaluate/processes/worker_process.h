// SPDX-License-Identifier: Apache-2.0
// The worker as the supervisor sees it: a process that may crash, hang, eat memory or lie at any moment.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "artifact/device_kind.h"
#include "base/fs/files.h"
#include "base/process/child.h"
#include "base/process/patience.h"
#include "evaluate/candidate.h"
#include "evaluate/processes/call_budget.h"
#include "evaluate/processes/ledger_reader.h"
#include "sandbox/limits/memory_watch.h"
#include "sandbox/policy/confinement.h"
#include "wire/messages/rpc.h"

namespace stitch::evaluate {

struct WorkerLimits {
  int64_t timeout_ms = 0;
  uint64_t memory_bytes = 0;
  std::vector<std::string> library_folders{};  // looked at before the system's
  std::string library{};                       // the candidate: the only file of ours that the worker sees
  std::shared_ptr<CallBudget> budget{};        // of all its calls together; null: only each has its limit
  sandbox::CageMode cage = sandbox::CageMode::kCaged;
  std::shared_ptr<const std::atomic<bool>> is_unwanted{};  // of the candidate; null: it is wanted to the end
};

// How a candidate failed a request. The worker is gone then.
struct WorkerFault {
  Ending ending = Ending::kCrashed;
  std::string message;
  bool was_killed = false;  // by a SIGKILL that was not ours
};
using WorkerReply = std::variant<wire::Answer, WorkerFault>;

class WorkerProcess {
 public:
  static Result<WorkerProcess> start(const CandidateBinary& binary, const WorkerLimits& limits);

  pid_t pid() const { return child_.pid(); }
  bool is_alive() { return !is_gone_ && child_.is_running(); }
  Result<WorkerReply> ask(const std::string& verb, const Json& arguments, std::vector<Descriptor> descriptors = {});

 private:
  WorkerProcess(Child child, wire::Channel channel, const WorkerLimits& limits, bool is_watched);
  // `was_killed`: set where it did not start because somebody sent it SIGKILL.
  static Result<WorkerProcess> start_native(DeviceKind device, const WorkerLimits& limits, bool& was_killed);
  static Result<WorkerProcess> start_python(DeviceKind device, const PythonHost& host, const WorkerLimits& limits,
                                            bool& was_killed);
  // How long one request may take on a machine that has nothing else to do, and what is said of one that takes longer.
  struct TimeLimit {
    int64_t milliseconds = 0;
    std::string when_over;
  };
  TimeLimit limit_of_a_call() const;
  // What the ledger says of the request that was just answered, where that is against the candidate.
  std::optional<std::string> ledgers_word(const std::string& verb, bool begins_trial, int trials_before);
  Result<WorkerReply> ask_now(const std::string& verb, const Json& arguments, std::vector<Descriptor> descriptors,
                              Patience& patience, const std::string& when_over);
  // Waits for a frame; a fault when the process ends, is late or holds too much memory.
  Result<std::variant<wire::Frame, WorkerFault>> await_frame(Patience& patience, const std::string& when_over);
  WorkerFault end(Ending ending, std::string message);
  WorkerFault died();
  // Before anything of the candidate's is there: what fails then is the environment.
  Result<void> greet(const std::string& program, const char* remedy, bool& was_killed);

  Child child_;
  wire::Channel channel_;
  WorkerLimits limits_;
  sandbox::MemoryWatch memory_watch_;
  uint64_t last_id_ = 0;
  bool is_gone_ = false;
  std::optional<LedgerReader> ledger_;              // of a candidate in Python
  bool is_judged_ = false;                          // such a one, rather than a rehearsal or the reference
  bool has_kernels_ = false;                        // built for the emulated device: trials keep its memory apart
  std::optional<TemporaryDirectory> private_home_;  // likewise
};

}  // namespace stitch::evaluate
