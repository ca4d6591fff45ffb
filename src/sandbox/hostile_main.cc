// SPDX-License-Identifier: Apache-2.0
// sandbox-hostile VERB [ARGUMENT]: tries one thing that a candidate must not be able to do, and prints "done", or why
// it could not, as the name of an errno. For the tests of the cage.
#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <string>

namespace {

std::string outcome(bool done) { return done ? "done" : ::strerrorname_np(errno); }

std::string read_file(const std::string& path) {
  char byte = 0;
  const int file = ::open(path.c_str(), O_RDONLY);
  return outcome(file >= 0 && ::read(file, &byte, 1) >= 0);
}

std::string write_file(const std::string& path) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT, 0644);
  return outcome(file >= 0 && ::write(file, "x", 1) == 1);
}

// As CUDA's driver names its threads.
std::string name_thread(const std::string& name) {
  const std::string path = "/proc/self/task/" + std::to_string(::gettid()) + "/comm";
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
  return outcome(file >= 0 && ::write(file, name.data(), name.size()) == static_cast<ssize_t>(name.size()));
}

std::string list_folder(const std::string& path) { return outcome(::opendir(path.c_str()) != nullptr); }

std::string open_socket(const std::string& family) {
  return outcome(::socket(std::atoi(family.c_str()), SOCK_STREAM, 0) >= 0);
}

std::string connect_to(const std::string& port) {
  const int own = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(std::atoi(port.c_str())));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return outcome(own >= 0 && ::connect(own, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0);
}

std::string trace(const std::string& pid) {
  return outcome(::ptrace(PTRACE_ATTACH, std::atoi(pid.c_str()), nullptr, nullptr) == 0);
}

std::string read_memory(const std::string& pid) {
  char own[8];
  iovec here{.iov_base = own, .iov_len = sizeof(own)};
  iovec there = here;
  const ssize_t size = ::process_vm_readv(std::atoi(pid.c_str()), &here, 1, &there, 1, 0);
  return outcome(size > 0 || errno == EFAULT);  // EFAULT: it was allowed to look
}

std::string kill_other(const std::string& pid) { return outcome(::kill(std::atoi(pid.c_str()), SIGURG) == 0); }

std::string call(const std::string& number) {
  return outcome(::syscall(std::atol(number.c_str()), 0, 0, 0, 0, 0) >= 0);
}

std::string unshare_user(const std::string&) { return outcome(::unshare(CLONE_NEWUSER) == 0); }

std::string run_other(const std::string& path) {
  char* const arguments[] = {const_cast<char*>(path.c_str()), nullptr};
  return outcome(::execv(path.c_str(), arguments) == 0);  // in its own place
}

// Processes until the system says no; all of them wait for ever.
std::string fork_bomb(const std::string& most) {
  const int limit = std::atoi(most.c_str());
  for (int count = 0; count < limit; ++count) {
    const int child = ::fork();
    if (child == 0) {
      ::pause();
    } else if (child < 0) {
      return outcome(false);
    }
  }
  return "done";
}

std::string fill(const std::string& path) {
  static std::array<char, 1 << 16> block{};
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT, 0644);
  for (int i = 0; file >= 0 && i < 4096; ++i) {
    if (::write(file, block.data(), block.size()) != static_cast<ssize_t>(block.size())) {
      return outcome(false);
    }
  }
  return outcome(file >= 0);
}

// Leaves a process behind in a session of its own, which keeps every descriptor open.
std::string leave_daemon(const std::string&) {
  if (::fork() == 0) {
    ::setsid();
    if (::fork() == 0) {
      ::close(STDOUT_FILENO);
      ::close(STDERR_FILENO);
      ::sleep(600);
    }
    ::_exit(0);
  }
  ::wait(nullptr);
  return "done";
}

bool is_mapped(int protection, int flags, int file = -1) {
  return ::mmap(nullptr, 4096, protection, flags, file, 0) != MAP_FAILED;
}

// Memory with code that it could have written itself.
std::string make_code(const std::string& way) {
  if (way == "anonymous") {
    return outcome(is_mapped(PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS));
  }
  if (way == "changed") {
    void* memory = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return outcome(::mprotect(memory, 4096, PROT_READ | PROT_EXEC) == 0);
  }
  if (way == "unnamed") {
    const int file = ::memfd_create("code", 0);
    return outcome(file >= 0 && ::ftruncate(file, 4096) == 0 && is_mapped(PROT_READ | PROT_EXEC, MAP_PRIVATE, file));
  }
  if (way == "implied") {
    return outcome(::personality(READ_IMPLIES_EXEC) != -1);
  }
  const int file = ::open(way.c_str(), O_RDONLY);
  return outcome(file >= 0 && is_mapped(PROT_READ | PROT_EXEC, MAP_PRIVATE, file));
}

// Likewise, by way of a file.
std::string write_code(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT, 0755);
  return outcome(file >= 0 && ::ftruncate(file, 4096) == 0 && is_mapped(PROT_READ | PROT_EXEC, MAP_PRIVATE, file));
}

std::string environment(const std::string&) {
  std::string names;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    names += std::string(*entry).substr(0, std::string(*entry).find('=')) + " ";
  }
  return names;
}

std::string user(const std::string&) { return std::to_string(::getuid()); }

std::string end_by_signal(const std::string& number) {
  ::raise(std::atoi(number.c_str()));
  return "alive";
}

}  // namespace

int main(int count, char** words) {
  const std::map<std::string, std::function<std::string(const std::string&)>> verbs = {
      {"read", read_file},     {"write", write_file},     {"list", list_folder},      {"socket", open_socket},
      {"connect", connect_to}, {"trace", trace},          {"memory", read_memory},      {"kill", kill_other},
      {"call", call},          {"unshare", unshare_user}, {"run", run_other},           {"bomb", fork_bomb},
      {"fill", fill},          {"daemon", leave_daemon},  {"environment", environment}, {"user", user},
      {"name", name_thread},   {"raise", end_by_signal},  {"code", make_code},          {"write_code", write_code}};
  const auto verb = count >= 2 ? verbs.find(words[1]) : verbs.end();
  if (verb == verbs.end()) {
    return 2;
  }
  fmt::print("{}", verb->second(count > 2 ? words[2] : ""));
  std::fflush(stdout);
  ::_exit(0);
}
