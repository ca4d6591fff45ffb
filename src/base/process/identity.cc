// SPDX-License-Identifier: Apache-2.0
#include "base/process/identity.h"

#include <sys/stat.h>
#include <unistd.h>

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

// Of this process's pid namespace: containers that share a folder count apart.
uint64_t number_space() {
  struct stat status {};
  return ::stat("/proc/self/ns/pid", &status) == 0 ? status.st_ino : 0;
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

const std::string& own_name_part() {
  static const std::string part = std::to_string(number_space()) + "-" + std::to_string(::getpid()) + "-" +
                                  std::to_string(stat_of(::getpid()).start_ticks);
  return part;
}

bool is_name_part_of_gone(const std::string& part) {
  std::istringstream text(part);
  uint64_t space = 0;
  pid_t pid = 0;
  uint64_t start_ticks = 0;
  char dash[2] = {};
  text >> space >> dash[0] >> pid >> dash[1] >> start_ticks;
  if (!text || !text.eof() || dash[0] != '-' || dash[1] != '-' || space != number_space()) {
    return false;
  }
  return stat_of(pid).start_ticks != start_ticks;
}

}  // namespace stitch
