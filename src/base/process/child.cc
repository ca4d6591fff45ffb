// SPDX-License-Identifier: Apache-2.0
#include "base/process/child.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>

#include "base/process/last_will.h"
#include "base/process/patience.h"
#include "base/process/spawn.h"
#include "base/process/tree.h"

namespace stitch {
namespace {

// As much as a pipe can hold, and no more: who writes faster than we read must not keep us from looking at the clock.
void drain(Descriptor& pipe, CappedText& text) {
  constexpr size_t kMaxBytes = size_t{1} << 20;
  std::array<char, 16384> buffer;
  for (size_t reads = 0; reads < kMaxBytes / sizeof(buffer) && pipe.is_open(); ++reads) {
    const ssize_t size = ::read(pipe.get(), buffer.data(), buffer.size());
    if (size > 0) {
      text.append({buffer.data(), static_cast<size_t>(size)});
    } else if (size == 0 || (errno != EAGAIN && errno != EINTR)) {
      pipe.reset();
    } else if (errno == EAGAIN) {
      return;
    }
  }
}

// Sleeps until the child ends, which `end` tells, writes, or `timeout_ms` is over. A pidfd is absent on old kernels and
// in some sandboxes: short slices do there.
void wait_for_event(int end, const std::vector<int>& pipes, int64_t timeout_ms) {
  constexpr int64_t kSliceMs = 10;
  std::vector<pollfd> polled;
  for (const int pipe : pipes) {
    polled.push_back({.fd = pipe, .events = POLLIN, .revents = 0});
  }
  if (end >= 0) {
    polled.push_back({.fd = end, .events = POLLIN, .revents = 0});
  } else {
    timeout_ms = timeout_ms < 0 ? kSliceMs : std::min(timeout_ms, kSliceMs);
  }
  ::poll(polled.data(), polled.size(), static_cast<int>(std::clamp<int64_t>(timeout_ms, -1, 1000)));
}

// `status` is waitpid's.
ExitState exit_of(int status) {
  return WIFEXITED(status) ? ExitState{.exit_code = WEXITSTATUS(status)} : ExitState{.signal = WTERMSIG(status)};
}

}  // namespace

Result<Child> Child::start(const ChildOptions& options) {
  Child child;
  Pipe output;
  Pipe error;
  if (options.capture_output) {
    STITCH_ASSIGN(output, make_pipe());
    STITCH_ASSIGN(error, make_pipe());
    set_nonblocking(output.read_end);
    set_nonblocking(error.read_end);
  }
  const int output_number = options.capture_output ? output.write_end.get() : STDERR_FILENO;
  const int error_number = options.capture_output ? error.write_end.get() : STDERR_FILENO;
  STITCH_ASSIGN(child.pid_, internal::spawn(options, output_number, error_number));
  child.output_ = std::move(output.read_end);
  child.error_ = std::move(error.read_end);
  return child;
}

Child Child::of_another(pid_t pid, Descriptor status, Descriptor output, Descriptor error) {
  Child child;
  child.pid_ = pid;
  child.status_ = std::move(status);
  child.output_ = std::move(output);
  child.error_ = std::move(error);
  return child;
}

std::optional<Child> Child::inherited(pid_t pid, Descriptor output, Descriptor error) {
  siginfo_t info{};
  if (pid <= 0 || ::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT) != 0) {
    return std::nullopt;
  }
  set_nonblocking(output);
  set_nonblocking(error);
  return of_another(pid, {}, std::move(output), std::move(error));
}

Child::Child(Child&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      status_(std::move(other.status_)),
      exit_(std::exchange(other.exit_, {})),
      output_(std::move(other.output_)),
      error_(std::move(other.error_)),
      output_text_(std::move(other.output_text_)),
      error_text_(std::move(other.error_text_)) {}

Child& Child::operator=(Child&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(status_, other.status_);
  std::swap(exit_, other.exit_);
  std::swap(output_, other.output_);
  std::swap(error_, other.error_);
  std::swap(output_text_, other.output_text_);
  std::swap(error_text_, other.error_text_);
  return *this;
}

Child::~Child() { kill_tree(); }

void Child::reap_if_ended() {
  if (pid_ <= 0 || exit_.has_value()) {
    return;
  }
  if (status_.is_open()) {
    pollfd polled{.fd = status_.get(), .events = POLLIN, .revents = 0};
    if (::poll(&polled, 1, 0) > 0) {
      take_status();
    }
    return;
  }
  siginfo_t info{};
  const int asked = ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT);
  if (asked < 0 && errno == ECHILD) {
    exit_ = ExitState{.exit_code = 127};  // somebody else reaped it; its status is lost
  } else if (asked == 0 && info.si_pid == pid_) {
    reap();
  }
}

// Waits for the parent to tell.
void Child::take_status() {
  int status = SIGKILL;
  ssize_t size = 0;
  do {
    size = ::read(status_.get(), &status, sizeof(status));
  } while (size < 0 && errno == EINTR);
  status_.reset();
  will_spare_group(pid_);
  exit_ = exit_of(size == sizeof(status) ? status : SIGKILL);
}

void Child::reap() {
  if (status_.is_open()) {
    take_status();
    return;
  }
  // What it left behind in its group, while its number cannot belong to anyone else yet.
  ::kill(-pid_, SIGKILL);
  int status = 0;
  pid_t ended = 0;
  do {
    ended = ::waitpid(pid_, &status, 0);
  } while (ended < 0 && errno == EINTR);
  will_spare_group(pid_);
  exit_ = exit_of(ended == pid_ ? status : SIGKILL);
}

bool Child::is_running() {
  reap_if_ended();
  return pid_ > 0 && !exit_.has_value();
}

void Child::kill_tree() {
  if (is_running()) {
    kill_process_tree(pid_);
    reap();
  }
}

// Waits at most timeout_ms (negative: for ever), what others took of the processors not counted; false when it still
// runs.
bool Child::ends_within(int64_t timeout_ms) {
  Patience patience(pid_, timeout_ms);
  const Descriptor end(status_.is_open() ? ::fcntl(status_.get(), F_DUPFD_CLOEXEC, 3)
                                         : static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0)));
  while (is_running()) {
    int64_t left_ms = -1;
    if (timeout_ms >= 0) {
      if (patience.is_over()) {
        return false;
      }
      const auto left = patience.next_look() - Patience::Clock::now();
      left_ms = std::chrono::duration_cast<std::chrono::milliseconds>(left).count() + 1;
    }
    wait_for_event(end.get(), open_output_descriptors(), left_ms);
    drain_output();
  }
  return true;
}

ExitState Child::wait(int64_t timeout_ms) {
  if (!ends_within(timeout_ms)) {
    kill_tree();
    exit_->timed_out = true;
  }
  drain_output();
  return exit_.value_or(ExitState{.exit_code = 127});
}

uint64_t Child::resident_bytes() const { return pid_ <= 0 || exit_.has_value() ? 0 : resident_bytes_of_tree(pid_); }

std::string Child::take_standard_error() {
  drain_output();
  return error_text_.take();
}

void Child::drain_output() {
  drain(output_, output_text_);
  drain(error_, error_text_);
}

std::vector<int> Child::open_output_descriptors() const {
  std::vector<int> open;
  for (const Descriptor* pipe : {&output_, &error_}) {
    if (pipe->is_open()) {
      open.push_back(pipe->get());
    }
  }
  return open;
}

Result<ChildOutput> collect(Child child, int64_t timeout_ms, const WhenSlow& when_slow) {
  constexpr size_t kOutputBytes = 8u << 20;
  child.output_text_ = CappedText(kOutputBytes, CappedText::Keep::kFirst);
  child.error_text_ = CappedText(kOutputBytes, CappedText::Keep::kFirst);
  if (when_slow.ask && !child.ends_within(when_slow.after_ms)) {
    STITCH_TRY(when_slow.ask());
  }
  ChildOutput output;
  output.exit = child.wait(timeout_ms);
  output.standard_output = child.output_text_.take();
  output.standard_error = child.error_text_.take();
  return output;
}

Result<ChildOutput> run_child(const ChildOptions& options, int64_t timeout_ms, const WhenSlow& when_slow) {
  STITCH_ASSIGN(Child child, Child::start(options));
  return collect(std::move(child), timeout_ms, when_slow);
}

}  // namespace stitch
