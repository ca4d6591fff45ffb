// SPDX-License-Identifier: Apache-2.0
#include "base/process/spawn.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "base/process/environment.h"
#include "base/process/last_will.h"

namespace stitch::internal {
namespace {

// Everything the child needs, laid out before the fork: no allocation happens between fork and exec.
struct ChildSetup {
  std::string program;
  std::vector<char*> arguments;
  std::vector<std::string> environment_text;
  std::vector<char*> environment;
  std::string working_directory;
  std::vector<std::pair<int, int>> descriptors;  // ours -> the child's, 0 to 2 included
  std::vector<int> parked;                       // room for the child's copies while it moves them into place
  int first_free = 3;                            // above every number promised to the child
  std::array<std::pair<int, rlimit>, 4> limits;
  size_t limit_count = 0;
  pid_t parent = 0;
};

void add_limit(ChildSetup& setup, int resource, const std::optional<rlim_t>& value, rlim_t grace = 0) {
  rlimit inherited{};
  if (value.has_value() && ::getrlimit(static_cast<__rlimit_resource>(resource), &inherited) == 0) {
    // A tighter one that we were started under stays: it cannot be raised.
    setup.limits.at(setup.limit_count++) = {resource, rlimit{.rlim_cur = std::min(*value, inherited.rlim_max),
                                                             .rlim_max = std::min(*value + grace, inherited.rlim_max)}};
  }
}

ChildSetup make_setup(const ChildOptions& options, std::vector<std::string>& arguments, int null_input, int output,
                      int error) {
  ChildSetup setup;
  setup.program = find_program(arguments.front()).string();
  for (std::string& argument : arguments) {
    setup.arguments.push_back(argument.data());
  }
  setup.arguments.push_back(nullptr);
  setup.environment_text = environment_of(options);
  for (std::string& text : setup.environment_text) {
    setup.environment.push_back(text.data());
  }
  setup.environment.push_back(nullptr);
  setup.working_directory = options.working_directory.string();
  setup.descriptors = {{null_input, 0}, {output, 1}, {error, 2}};
  setup.descriptors.insert(setup.descriptors.end(), options.descriptors.begin(), options.descriptors.end());
  setup.parked.resize(setup.descriptors.size(), -1);
  for (const auto& pair : setup.descriptors) {
    setup.first_free = std::max(setup.first_free, pair.second + 1);
  }
  add_limit(setup, RLIMIT_AS, options.address_space_bytes);
  add_limit(setup, RLIMIT_CPU, options.cpu_seconds, 1);  // SIGXCPU at the limit, SIGKILL a second later
  add_limit(setup, RLIMIT_FSIZE, options.file_bytes);
  add_limit(setup, RLIMIT_CORE, 0);
  setup.parent = ::getpid();
  return setup;
}

void close_between(unsigned first, unsigned last) {
  if (first > last || ::syscall(SYS_close_range, first, last, 0) == 0) {
    return;
  }
  const long count = ::sysconf(_SC_OPEN_MAX);
  for (unsigned number = first; number <= last && static_cast<long>(number) < count; ++number) {
    ::close(static_cast<int>(number));
  }
}

// Moves every promised descriptor to its number and closes all others but `report`, which lies above the numbers.
bool place_descriptors(ChildSetup& setup, int report) {
  for (size_t i = 0; i < setup.descriptors.size(); ++i) {  // park first: a target may be another one's source
    setup.parked[i] = ::fcntl(setup.descriptors[i].first, F_DUPFD, report + 1);
    if (setup.parked[i] < 0) {
      return false;
    }
  }
  close_between(3, static_cast<unsigned>(report) - 1);
  for (size_t i = 0; i < setup.descriptors.size(); ++i) {
    if (::dup2(setup.parked[i], setup.descriptors[i].second) < 0) {
      return false;
    }
  }
  close_between(static_cast<unsigned>(report) + 1, ~0u);
  return true;
}

// In the child. Sends errno through `report` when it cannot become the program.
[[noreturn]] void become_program(ChildSetup& setup, int report) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != setup.parent) {  // the parent died before prctl took effect
    ::_exit(127);
  }
  will_end_own_group();
  struct sigaction action {};
  action.sa_handler = SIG_DFL;
  for (const int number : {SIGPIPE, SIGINT, SIGTERM, SIGHUP, SIGCHLD}) {
    ::sigaction(number, &action, nullptr);
  }
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  bool good = place_descriptors(setup, report);
  good = good && (setup.working_directory.empty() || ::chdir(setup.working_directory.c_str()) == 0);
  for (size_t i = 0; good && i < setup.limit_count; ++i) {
    good = ::setrlimit(static_cast<__rlimit_resource>(setup.limits[i].first), &setup.limits[i].second) == 0;
  }
  if (good) {
    ::execve(setup.program.c_str(), setup.arguments.data(), setup.environment.data());
  }
  const int reason = errno;
  [[maybe_unused]] const ssize_t written = ::write(report, &reason, sizeof(reason));
  ::_exit(127);
}

}  // namespace

Result<pid_t> spawn(const ChildOptions& options, int standard_output, int standard_error) {
  STITCH_CHECK(!options.arguments.empty()) << "a child needs a program";
  if (no_more_children()) {
    return failure(ErrorCode::kInterrupted, "interrupted");
  }
  const Descriptor null_input(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  int pipe_ends[2] = {-1, -1};
  if (!null_input.is_open() || ::pipe2(pipe_ends, O_CLOEXEC) != 0) {
    return failure(ErrorCode::kEnvironment, fmt::format("cannot start {}: {}", options.arguments[0], strerror(errno)),
                   options.arguments[0], "close some programs: this process has no file descriptors left");
  }
  const Descriptor report_read(pipe_ends[0]);
  Descriptor report_low(pipe_ends[1]);
  std::vector<std::string> arguments = options.arguments;
  ChildSetup setup = make_setup(options, arguments, null_input.get(), standard_output, standard_error);
  if (setup.program.empty()) {
    return failure(ErrorCode::kEnvironment, fmt::format("{} was not found", arguments[0]), "PATH",
                   fmt::format("install {} or put its folder on PATH", arguments[0]));
  }
  Descriptor report_write(::fcntl(report_low.get(), F_DUPFD_CLOEXEC, setup.first_free));
  const pid_t pid = report_write.is_open() ? ::fork() : -1;
  if (pid == 0) {
    become_program(setup, report_write.get());
  }
  int reason = pid < 0 ? errno : 0;
  report_write.reset();
  report_low.reset();
  if (pid > 0) {
    ::setpgid(pid, pid);  // here too, so that the group exists before anyone kills it
    while (::read(report_read.get(), &reason, sizeof(reason)) < 0 && errno == EINTR) {
    }
  }
  if (reason == 0) {
    return pid;
  }
  if (pid > 0) {
    while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
    }
    will_spare_group(pid);
  }
  return failure(ErrorCode::kEnvironment, fmt::format("cannot start {}: {}", arguments[0], std::strerror(reason)),
                 setup.program, "check that the program is there and may be run");
}

}  // namespace stitch::internal
