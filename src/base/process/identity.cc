// SPDX-License-Identifier: Apache-2.0
#include "base/process/identity.h"

#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <fstream>
#include <sstream>

namespace stitch {
namespace {

std::string boot_identity() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string text;
  std::getline(file, text);
  return text;
}

// The state letter and the 22nd field of /proc/PID/stat; 0 ticks where there is no such process. The second field may
// hold spaces and parentheses: fields are counted from its end.
struct Stat {
  char state = 'X';
  uint64_t start_ticks = 0;
};

Stat stat_of(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string line;
  std::getline(file, line);
  const size_t end_of_name = line.rfind(')');
  if (end_of_name == std::string::npos) {
    return {};
  }
  constexpr int kFieldsBetween = 18;  // from the 4th, the parent, to the 21st
  std::istringstream rest(line.substr(end_of_name + 1));
  Stat stat;
  rest >> stat.state;
  std::string skipped;
  for (int field = 0; field < kFieldsBetween; ++field) {
    rest >> skipped;
  }
  rest >> stat.start_ticks;
  return rest ? stat : Stat{};
}

}  // namespace

ProcessIdentity own_identity() { return {::getpid(), stat_of(::getpid()).start_ticks, boot_identity()}; }

bool is_alive(const ProcessIdentity& process) {
  if (process.pid <= 0 || process.boot != boot_identity()) {
    return false;
  }
  const Stat now = stat_of(process.pid);
  return now.start_ticks == process.start_ticks && now.state != 'Z' && now.state != 'X';
}

bool is_number_in_use(pid_t pid) { return pid > 0 && (::kill(pid, 0) == 0 || errno == EPERM); }

}  // namespace stitch
