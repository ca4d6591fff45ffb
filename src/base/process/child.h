// SPDX-License-Identifier: Apache-2.0
// Child processes: started with an argument list (never a shell), in a process group of their own so that the whole
// tree can be killed, with every descriptor closed but those handed over by name, stdin empty. A child dies with the
// *thread* that started it (PR_SET_PDEATHSIG), so a child that outlives a call belongs to a thread that does too.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error/result.h"
#include "base/process/capped_text.h"
#include "base/process/descriptor.h"

namespace stitch {

struct ChildOptions {
  std::vector<std::string> arguments{};                            // [0] is the program, looked up in PATH
  std::filesystem::path working_directory{};                       // empty: ours
  std::vector<std::pair<std::string, std::string>> environment{};  // added to ours, or replacing it where named
  std::optional<std::vector<std::string>> kept_environment{};      // of ours, else all but secrets (environment.h)
  std::vector<std::pair<int, int>> descriptors{};                  // {ours, the number it gets in the child (>= 3)}
  std::optional<uint64_t> address_space_bytes{};                   // RLIMIT_AS
  std::optional<uint64_t> cpu_seconds{};                           // RLIMIT_CPU
  std::optional<uint64_t> file_bytes{};                            // RLIMIT_FSIZE
  bool capture_output = true;                                      // stdout and stderr; else both go to our stderr
};

// How a child ended: exited with a status, or killed by a signal.
struct ExitState {
  int exit_code = 0;
  int signal = 0;
  bool timed_out = false;
  bool ok() const { return exit_code == 0 && signal == 0 && !timed_out; }
};

struct ChildOutput {
  ExitState exit;
  std::string standard_output;
  std::string standard_error;
};

struct WhenSlow;

// A running child. Destruction kills its whole process group.
class Child {
 public:
  static Result<Child> start(const ChildOptions& options);
  // Of a process that is another's child: its parent writes to `status`, once it has ended and before its number can
  // be anyone else's, the four bytes that waitpid() gave. The end of `status` without them means that it is killed.
  static Child of_another(pid_t pid, Descriptor status, Descriptor output, Descriptor error);
  // Of a child that this process has had since before it became this program. Null where it is none of ours.
  static std::optional<Child> inherited(pid_t pid, Descriptor output, Descriptor error);
  Child(Child&& other) noexcept;
  Child& operator=(Child&& other) noexcept;
  ~Child();

  pid_t pid() const { return pid_; }
  bool is_running();
  void kill_tree();
  // Waits at most timeout_ms (negative: for ever), then kills the tree and says timed_out.
  ExitState wait(int64_t timeout_ms);
  // Resident bytes of the child and all its descendants now, 0 when it has ended.
  uint64_t resident_bytes() const;
  // What the child has written so far to a captured stderr, at most its last 64 KiB; safe while it runs.
  std::string take_standard_error();
  // Reads what lies in the captured pipes, so that a chatty child does not block on a full one. Code that waits for a
  // child by other means than wait() (its socket, say) polls these and calls this.
  void drain_output();
  std::vector<int> open_output_descriptors() const;

 private:
  Child() = default;
  friend Result<ChildOutput> collect(Child, int64_t, const WhenSlow&);
  bool ends_within(int64_t timeout_ms);
  void reap_if_ended();
  void reap();
  void take_status();

  pid_t pid_ = -1;
  Descriptor status_;  // open where another process is its parent
  std::optional<ExitState> exit_;
  Descriptor output_;
  Descriptor error_;
  CappedText output_text_{64u << 10, CappedText::Keep::kLast};
  CappedText error_text_{64u << 10, CappedText::Keep::kLast};
};

// What to ask about a child that takes long: once, when it still runs after `after_ms`. An Error ends the child and is
// returned in place of its output.
struct WhenSlow {
  int64_t after_ms = 0;
  std::function<Result<void>()> ask{};
};

// Starts, collects both outputs (each cut at 8 MiB, the cut marked), waits. A time-out is not an Error: see ExitState.
Result<ChildOutput> run_child(const ChildOptions& options, int64_t timeout_ms, const WhenSlow& when_slow = {});
// The same for a child that has just been started.
Result<ChildOutput> collect(Child child, int64_t timeout_ms, const WhenSlow& when_slow = {});

// The file that a child of this name would run: the name itself where it has a stroke, else the first in PATH that may
// be run; empty where there is none.
std::filesystem::path find_program(const std::string& name);

// The first of {the running program's folder, its ../libexec/stitchcuda, the folder that STITCHCUDA_LIBEXEC names} that
// holds the program `name`.
Result<std::filesystem::path> find_helper_program(const std::string& name);

}  // namespace stitch
