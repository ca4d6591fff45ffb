// SPDX-License-Identifier: Apache-2.0
// A built program, running somewhere it can do no harm. The real one is a worker process under its keeper; tests script
// one.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "artifact/call_trial.h"
#include "artifact/device_kind.h"
#include "artifact/report/listed_launches.h"
#include "artifact/tensor/host_tensor.h"

namespace stitch::evaluate {

// How a call ended. Everything but kOk is the candidate's fault; a failing world is an Error.
enum class Ending {
  kOk,
  kCrashed,  // died, faulted on the device, or reported a fault of the device
  kTimedOut,
  kRefused,      // answered with an error of its own, or does not fit the call
  kTampered,     // changed its inputs, or memory that is not its own; ran what it must not
  kUnsupported,  // cannot run on this device
};

// A program is called on any of so many streams. What is timed, and prepare(), has the first.
constexpr int kCallStreams = 3;

// Bytes of an output, or of a new state, which is counted behind them.
struct ResultPiece {
  size_t result = 0;
  uint64_t offset = 0;
  uint64_t bytes = 0;
};

struct CandidateOutcome {
  Ending ending = Ending::kOk;
  std::string message;              // what happened, when not kOk
  std::vector<HostTensor> outputs;  // in the program's order
  std::vector<HostTensor> states;   // after the call
  double elapsed_us = 0;
  // Emulated, where launches are listed: what the host said of the results, by copies and sets. See
  // stitch_emulator_control.h.
  std::vector<ResultPiece> said{};
  uint64_t told = 0;  // likewise, bytes of the device's memory that the host was shown
};

// What lies in the device's memory when the commands of a call are done again: of the types that the call had.
struct ContentsAgain {
  std::span<const HostTensor> inputs;
  std::span<const HostTensor> states;
  std::span<const HostTensor> parameters;
  // Of a ModelNew: memory of its own holds what it held before the call, and not what that has left there.
  bool as_before = false;
};

struct CandidateCall {
  std::span<const HostTensor> inputs;
  std::span<const HostTensor> states;
  // Types of outputs, then of new states; empty: as the program declares them. Those of a run-time batch follow it.
  std::span<const TensorType> results{};
  uint64_t rng_seed = 0;
  uint64_t schedule_seed = 0;    // emulated: 0 runs a block's threads in order, anything else in an order drawn from it
  bool states_in_place = false;  // new states lie in the memory of the old ones, as the ABI allows
  CallTrial trial = CallTrial::kNone;  // emulated
  // Of `results`: those that come back as places, valid until the next call; empty: none.
  std::vector<bool> staying{};
  size_t left_out = 0;  // kWithoutOne: the kernel's place in the list of the last whole call
  uint64_t rng_offset = 0;
  int stream = 0;  // which of the worker's streams run() is given, below kCallStreams
};

class Candidate {
 public:
  virtual ~Candidate() = default;
  // Hands over parameters, then constants; they stay valid until the next prepare().
  virtual Result<CandidateOutcome> prepare(std::span<const HostTensor> parameters) = 0;
  // Outputs and workspace hold fresh random bytes when the program starts.
  virtual Result<CandidateOutcome> run(const CandidateCall& call) = 0;
  // Has the device do once more what the program enqueued in its last call, which ran wholly, on other contents: no
  // code of its host's runs. Once after each call, a ModelNew more often. No outputs where that cannot be, or came to
  // no end. What the next call is made with is as ever, but what kernels of a native program keep in memory of its own.
  // Emulated, where launches are listed, or the kernels are a ModelNew's.
  virtual Result<CandidateOutcome> again(const ContentsAgain& /*contents*/) { return CandidateOutcome{}; }
  // Gives the memory of the last call's tensors back: a GPU holds few of the largest. What was prepared stays.
  virtual Result<CandidateOutcome> rest() { return CandidateOutcome{}; }
  // What its process has had of processors, in seconds, where all of a call is computed there; else nothing.
  virtual std::optional<double> processor_seconds() const { return std::nullopt; }
  // Makes it release what it holds. A later call starts it anew.
  virtual Result<CandidateOutcome> destroy() { return CandidateOutcome{}; }
};

// What a candidate in Python was seen to do. Written by the thread that runs it.
struct CandidateLedger {
  std::vector<std::string> operators;  // of PyTorch that it must not call, as "aten::mm" in the order of first use
  std::vector<std::string> places;     // "model_new.py:12" of each, or empty
  std::vector<std::string> events;     // other things it must not do, with their places
  std::vector<std::string> libraries;  // native code that it loaded
};

// What ran on the device in calls, as the worker says. Written by the threads that run candidates.
class LaunchLedger {
 public:
  void keep(std::vector<LaunchRecord> launches);
  // Of later calls the last one stays, and nothing is added to all(): they are made to look for something, and most of
  // them are the first of a process.
  void stop_adding();
  // Marks a kernel without which the answer is as right, in later lists too.
  void mark_idle(const LaunchRecord& kernel);
  std::optional<std::vector<LaunchRecord>> last() const;  // of the last call; none: no call was listed
  std::optional<ListedLaunches> all() const;              // of all calls together; likewise

 private:
  bool is_idle(const LaunchRecord& kernel) const;

  mutable std::mutex mutex_;
  std::optional<std::vector<LaunchRecord>> last_;
  ListedLaunches all_;
  bool adds_ = true;
  std::vector<LaunchRecord> idle_;
};

enum class PythonRole {
  kCandidate,  // judged, and watched
  kRehearsal,  // a candidate before it is judged: it may start compilers, and nobody believes it
  kReference,  // the user's own program, which computes as it likes
};
const char* to_string(PythonRole role);

// How to run a candidate that is a Python file.
struct PythonHost {
  PythonRole role = PythonRole::kCandidate;
  std::string compiled;                       // folder of what it compiled in a rehearsal; may be empty
  std::vector<std::string> compiled_files{};  // libraries in there that it may load: inspected
  std::string interpreter;                    // with the user's PyTorch
  std::string modules;                        // the folder that holds the worker's package
  std::string library;                        // built of the sources beside the file; may be empty
  std::vector<std::string> native_files{};    // libraries in the candidate's folder that it may load: inspected
  std::vector<std::string> readable;          // folders of the interpreter and its packages
  std::string folder;                         // of the candidate
  // Libraries of what it asks load_inline for, by the key of the request; nothing for one that has no use for them.
  std::optional<std::map<std::string, std::string>> extensions{};
  std::string interface;  // JSON: what the candidate takes, holds and returns
  std::shared_ptr<CandidateLedger> ledger;
};

// A built library and the device it was built for; or a Python file.
struct CandidateBinary {
  DeviceKind device = DeviceKind::kEmulated;
  std::string library;
  std::optional<PythonHost> python{};
  std::shared_ptr<LaunchLedger> launches{};  // where somebody wants to know what ran
  // Set from another thread: nobody wants its answers any more, and a call under way ends as one that took too long.
  std::shared_ptr<const std::atomic<bool>> is_unwanted{};
};
// May be called from several threads at once.
using StartCandidate = std::function<Result<std::unique_ptr<Candidate>>(const CandidateBinary&)>;

}  // namespace stitch::evaluate
