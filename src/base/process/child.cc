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

struct Pipe {
  Descriptor read_end;
  Descriptor write_end;
};

Result<Pipe> make_pipe() {
  int ends[2] = {-1, -1};
  if (::pipe2(ends, O_CLOEXEC) != 0) {
    return failure(ErrorCode::kEnvironment, fmt::format("cannot make a pipe: {}", std::strerror(errno)), {},
                   "close some programs: this process has no file descriptors left");
  }
  ::fcntl(ends[0], F_SETFL, O_NONBLOCK);  // our end only
  return Pipe{Descriptor(ends[0]), Descriptor(ends[1])};
}

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

// Sleeps until the child ends, writes, or `timeout_ms` is over. pidfd is absent on old kernels and in some sandboxes:
// short slices do there.
void wait_for_event(int pidfd, const std::vector<int>& pipes, int64_t timeout_ms) {
  constexpr int64_t kSliceMs = 10;
  std::vector<pollfd> polled;
  for (const int pipe : pipes) {
    polled.push_back({.fd = pipe, .events = POLLIN, .revents = 0});
  }
  if (pidfd >= 0) {
    polled.push_back({.fd = pidfd, .events = POLLIN, .revents = 0});
  } else {
    timeout_ms = timeout_ms < 0 ? kSliceMs : std::min(timeout_ms, kSliceMs);
  }
  ::poll(polled.data(), polled.size(), static_cast<int>(std::clamp<int64_t>(timeout_ms, -1, 1000)));
}

}  // namespace

Result<Child> Child::start(const ChildOptions& options) {
  Child child;
  Pipe output;
  Pipe error;
  if (options.capture_output) {
    STITCH_ASSIGN(output, make_pipe());
    STITCH_ASSIGN(error, make_pipe());
  }
  const int output_number = options.capture_output ? output.write_end.get() : STDERR_FILENO;
  const int error_number = options.capture_output ? error.write_end.get() : STDERR_FILENO;
  STITCH_ASSIGN(child.pid_, internal::spawn(options, output_number, error_number));
  child.output_ = std::move(output.read_end);
  child.error_ = std::move(error.read_end);
  return child;
}

Child::Child(Child&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      exit_(std::exchange(other.exit_, {})),
      output_(std::move(other.output_)),
      error_(std::move(other.error_)),
      output_text_(std::move(other.output_text_)),
      error_text_(std::move(other.error_text_)) {}

Child& Child::operator=(Child&& other) noexcept {
  std::swap(pid_, other.pid_);
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
  siginfo_t info{};
  const int asked = ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT);
  if (asked < 0 && errno == ECHILD) {
    exit_ = ExitState{.exit_code = 127};  // somebody else reaped it; its status is lost
  } else if (asked == 0 && info.si_pid == pid_) {
    reap();
  }
}

void Child::reap() {
  // What it left behind in its group, while its number cannot belong to anyone else yet.
  ::kill(-pid_, SIGKILL);
  int status = 0;
  pid_t ended = 0;
  do {
    ended = ::waitpid(pid_, &status, 0);
  } while (ended < 0 && errno == EINTR);
  will_spare_group(pid_);
  const bool exited = ended == pid_ && WIFEXITED(status);
  const int signal = ended == pid_ && WIFSIGNALED(status) ? WTERMSIG(status) : SIGKILL;
  exit_ = exited ? ExitState{.exit_code = WEXITSTATUS(status)} : ExitState{.signal = signal};
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
  const Descriptor pidfd(static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0)));
  while (is_running()) {
    int64_t left_ms = -1;
    if (timeout_ms >= 0) {
      if (patience.is_over()) {
        return false;
      }
      const auto left = patience.next_look() - Patience::Clock::now();
      left_ms = std::chrono::duration_cast<std::chrono::milliseconds>(left).count() + 1;
    }
    wait_for_event(pidfd.get(), open_output_descriptors(), left_ms);
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

uint64_t Child::resident_bytes() const {
  return pid_ <= 0 || exit_.has_value() ? 0 : resident_bytes_of_tree(pid_);
}

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
