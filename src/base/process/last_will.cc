// SPDX-License-Identifier: Apache-2.0
#include "base/process/last_will.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <thread>

#include "base/process/tree.h"

namespace stitch {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

// Process-wide, as a process's end is.
int pipe_to_executor = -1;
pid_t executor = -1;
std::atomic<bool> refuse_children = false;

// One character of what to do, its object, NUL.
void tell(char what, const std::string& object) {
  static std::mutex mutex;
  if (pipe_to_executor < 0) {
    return;
  }
  const std::string message = what + object + '\0';
  const std::lock_guard lock(mutex);
  std::string_view left = message;
  while (!left.empty()) {
    const ssize_t written = ::write(pipe_to_executor, left.data(), left.size());
    if (written < 0 && errno != EINTR) {
      return;  // it was killed: then there is no last will
    }
    left.remove_prefix(written > 0 ? static_cast<size_t>(written) : 0);
  }
}

class Executor {
 public:
  void read_all(int pipe) {
    std::array<char, 4096> buffer;
    for (;;) {
      const ssize_t size = ::read(pipe, buffer.data(), buffer.size());
      if (size == 0 || (size < 0 && errno != EINTR)) {
        return;
      }
      for (ssize_t i = 0; i < size; ++i) {
        take(buffer[static_cast<size_t>(i)]);
      }
    }
  }

  void execute() const {
    constexpr int kRounds = 200;  // of 10 ms: a process in a driver's call may take its time
    bool any = true;
    for (int round = 0; any && round < kRounds; ++round) {
      any = false;
      for (const pid_t group : groups_) {
        any = ::kill(-group, SIGKILL) == 0 || any;
      }
      if (any) {
        std::this_thread::sleep_for(10ms);
      }
    }
    for (const std::string& folder : folders_) {
      std::error_code ignored;
      fs::remove_all(folder, ignored);
    }
  }

 private:
  void take(char next) {
    if (next != '\0') {
      message_ += next;
      return;
    }
    const std::string object = message_.substr(1);
    switch (message_.front()) {
      case 'g':
        groups_.insert(static_cast<pid_t>(std::stol(object)));
        break;
      case 'G':
        groups_.erase(static_cast<pid_t>(std::stol(object)));
        break;
      case 'f':
        folders_.insert(object);
        break;
      case 'F':
        folders_.erase(object);
        break;
      default:
        break;
    }
    message_.clear();
  }

  std::string message_;
  std::set<pid_t> groups_;
  std::set<std::string> folders_;
};

[[noreturn]] void execute_at_the_end(int pipe) {
  ::setsid();
  ::prctl(PR_SET_NAME, "stitchcuda-will");
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE}) {
    std::signal(signal, SIG_IGN);
  }
  // Whoever reads our output must not wait for this process too, nor a folder be held by it.
  ::dup2(pipe, 3);
  const int null = ::open("/dev/null", O_RDWR);
  for (const int number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    ::dup2(null, number);
  }
  ::syscall(SYS_close_range, 4U, ~0U, 0);
  [[maybe_unused]] const int changed = ::chdir("/");
  Executor will;
  will.read_all(3);
  will.execute();
  ::_exit(0);
}

}  // namespace

void start_last_will() {
  int ends[2] = {-1, -1};
  if (pipe_to_executor >= 0 || ::pipe2(ends, O_CLOEXEC) != 0) {
    return;
  }
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(ends[1]);
    execute_at_the_end(ends[0]);
  }
  ::close(ends[0]);
  if (child < 0) {
    ::close(ends[1]);
    return;
  }
  executor = child;
  pipe_to_executor = ends[1];
}

// No allocation and no lock: another thread may have held them at the fork. So short a write is never broken up.
void will_end_own_group() {
  std::array<char, 24> message{'g'};
  const auto end = std::to_chars(message.data() + 1, message.data() + message.size() - 1, ::getpid()).ptr;
  if (pipe_to_executor >= 0) {
    [[maybe_unused]] const ssize_t written =
        ::write(pipe_to_executor, message.data(), static_cast<size_t>(end - message.data()) + 1);
  }
}

void will_end_group(pid_t group) { tell('g', std::to_string(group)); }

void will_spare_group(pid_t group) { tell('G', std::to_string(group)); }

void will_remove(const fs::path& folder) {
  std::error_code ignored;
  tell('f', fs::absolute(folder, ignored).string());
}

void will_keep(const fs::path& folder) {
  std::error_code ignored;
  tell('F', fs::absolute(folder, ignored).string());
}

void end_all_children() {
  constexpr int kRounds = 100;  // of 5 ms
  refuse_children = true;
  bool any = true;
  for (int round = 0; any && round < kRounds; ++round) {
    any = false;
    for (const pid_t descendant : list_descendants(::getpid())) {
      if (descendant != executor) {
        any = ::kill(descendant, SIGKILL) == 0 || any;  // a zombie too, until another thread reaps it
      }
    }
    std::this_thread::sleep_for(5ms);
  }
}

bool no_more_children() { return refuse_children; }

}  // namespace stitch
