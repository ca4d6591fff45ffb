// SPDX-License-Identifier: Apache-2.0
#include "sandbox/inside/run_caged.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <set>

#include "base/process/tree.h"
#include "sandbox/inside/attempt.h"
#include "sandbox/inside/become_program.h"
#include "sandbox/inside/bubblewrap.h"
#include "sandbox/inside/control_group.h"
#include "sandbox/inside/namespaces.h"
#include "sandbox/inside/own_user.h"

namespace stitch::sandbox {
namespace {

constexpr int kCannotStart = 125;

[[noreturn]] void give_up(const CageOrder& order, const Error& error) {
  [[maybe_unused]] const ssize_t written = ::write(order.report, error.message.data(), error.message.size());
  ::_exit(kCannotStart);
}

void or_give_up(const CageOrder& order, const Result<void>& done) {
  if (!done.has_value()) {
    give_up(order, done.error());
  }
}

// What a cage needs while its program runs.
struct CageRun {
  const CageOrder& order;
  pid_t parent = ::getppid();
  std::optional<uid_t> user{};
  std::optional<ControlGroup> group{};
  pid_t first = -1;   // the namespace's first process
  int lifeline = -1;  // closed by our end, which the first process sees
};

void prepare(CageRun& run) {
  const CageOrder& order = run.order;
  if (order.layers.has(Layer::kGroup)) {
    auto group = ControlGroup::make(order.policy.limits.address_space_bytes, order.policy.process_count);
    or_give_up(order, group.has_value() ? Result<void>() : Result<void>(Unexpected{group.error()}));
    run.group.emplace(std::move(*group));
  }
  const Layers& layers = order.layers;
  const bool is_root = layers.maker == Maker::kRoot || (layers.maker == Maker::kNobody && ::geteuid() == 0);
  if (is_root && layers.has(Layer::kUser)) {
    run.user = own_user_id(order.policy, order.command.front(), layers.has(Layer::kFiles));
  }
  if (run.user.has_value()) {
    or_give_up(order, hand_over(order.policy, *run.user));
  }
  or_give_up(order, make_namespaces(layers));
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // again: making a user namespace may have cleared it
  if (::getppid() != run.parent) {
    ::_exit(kCannotStart);
  }
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);  // orphans stay in this tree where no namespace holds them
}

void start_first_process(CageRun& run) {
  int ends[2] = {-1, -1};
  or_give_up(run.order, attempt(::pipe2(ends, O_CLOEXEC) == 0, "make a pipe"));
  run.first = ::fork();
  or_give_up(run.order, attempt(run.first >= 0, "start the first process"));
  if (run.first == 0) {
    const int lifeline = ::fcntl(ends[0], F_DUPFD, 3);
    ::dup2(lifeline, 3);
    ::syscall(SYS_close_range, 0, 2, 0);
    ::syscall(SYS_close_range, 4, ~0u, 0);
    be_first_process(3);
  }
  ::close(ends[0]);
  run.lifeline = ends[1];
}

[[noreturn]] void be_program(const CageRun& run) {
  if (run.lifeline >= 0) {
    ::close(run.lifeline);
    ::setsid();
  }
  const int report = run.order.report;
  ::fcntl(report, F_SETFD, FD_CLOEXEC);
  or_give_up(run.order, run.group.has_value() ? run.group->join() : Result<void>());
  or_give_up(run.order, close_the_cage(run.order, run.user));
  [[maybe_unused]] const ssize_t written = ::write(report, &kReady, 1);
  or_give_up(run.order, execute(run.order));
  ::_exit(kCannotStart);
}

// It tells of a signal as shells do.
int status_from_bubblewrap(int status) {
  constexpr int kSignals = 128;
  const bool is_signal = WIFEXITED(status) && WEXITSTATUS(status) > kSignals && WEXITSTATUS(status) < kSignals + 65;
  return is_signal ? WEXITSTATUS(status) - kSignals : status;
}

int wait_for(pid_t program) {
  while (true) {
    int status = 0;
    const pid_t ended = ::waitpid(-1, &status, 0);
    if (ended == program || (ended < 0 && errno != EINTR)) {
      return status;
    }
  }
}

// Without a namespace: what the program left behind became our child. Stopped until no new one appears, then killed.
void end_descendants() {
  std::set<pid_t> stopped;
  constexpr int kRounds = 100;
  for (int round = 0; round < kRounds; ++round) {
    bool grew = false;
    for (const pid_t left : list_descendants(::getpid())) {
      grew = stopped.insert(left).second || grew;
      ::kill(left, SIGSTOP);
    }
    if (!grew) {
      break;
    }
  }
  for (const pid_t left : stopped) {
    ::kill(left, SIGKILL);
  }
  while (::waitpid(-1, nullptr, 0) > 0 || errno == EINTR) {
  }
}

void end_all(const CageRun& run) {
  if (run.first <= 0) {
    end_descendants();
    return;
  }
  ::kill(run.first, SIGKILL);  // the kernel ends the namespace with it
  while (::waitpid(run.first, nullptr, 0) < 0 && errno == EINTR) {
  }
}

[[noreturn]] void end_as(int status) {
  if (WIFSIGNALED(status)) {
    struct sigaction action {};
    action.sa_handler = SIG_DFL;
    ::sigaction(WTERMSIG(status), &action, nullptr);
    ::raise(WTERMSIG(status));
  }
  ::_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
}

// In the process that stays outside: the program's channel and report are the program's alone.
void let_go(CageRun& run) {
  if (run.lifeline < 0) {
    ::syscall(SYS_close_range, 3, ~0u, 0);
    return;
  }
  if (run.lifeline != 3) {
    ::dup3(run.lifeline, 3, O_CLOEXEC);
    run.lifeline = 3;
  }
  ::syscall(SYS_close_range, 4, ~0u, 0);
}

}  // namespace

void run_caged(const CageOrder& order) {
  CageRun run{.order = order};
  if (order.inside) {
    be_program(run);
  }
  const bool by_bubblewrap = order.layers.maker == Maker::kBubblewrap;
  if (!by_bubblewrap) {
    prepare(run);
  }
  if (!by_bubblewrap && order.layers.has(Layer::kProcesses)) {
    start_first_process(run);
  }
  const pid_t program = ::fork();
  or_give_up(order, attempt(program >= 0, "start the program"));
  if (program == 0 && by_bubblewrap) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    or_give_up(order, execute(ordered_through_bubblewrap(order)));
  } else if (program == 0) {
    be_program(run);
  }
  let_go(run);
  const int status = wait_for(program);
  end_all(run);
  run.group.reset();
  if (run.user.has_value()) {
    static_cast<void>(hand_over(order.policy, ::geteuid()));  // what is not ours again is found unreadable later
  }
  end_as(by_bubblewrap ? status_from_bubblewrap(status) : status);
}

}  // namespace stitch::sandbox
