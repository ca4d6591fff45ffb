// SPDX-License-Identifier: Apache-2.0
#include "sandbox/inside/control_group.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <utility>

#include "base/process/descriptor.h"
#include "sandbox/inside/attempt.h"

namespace stitch::sandbox {
namespace {

constexpr const char* kRoot = "/sys/fs/cgroup";

Result<void> write_value(const std::string& path, const std::string& text) {
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  return attempt(file.is_open() && ::write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()),
                 "write " + path);
}

// "0::/user.slice/x" of /proc/self/cgroup: where we are in the hierarchy of version 2.
std::string own_group() {
  std::ifstream file("/proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("0::/", 0) == 0) {
      return line.substr(3);
    }
  }
  return {};
}

Result<std::string> make_folder(const std::string& parent) {
  const std::string folder = fmt::format("{}/stitchcuda-{}", parent, ::getpid());
  // An empty one of our number is left from a process that was killed.
  const bool made = ::mkdir(folder.c_str(), 0755) == 0 ||
                    (errno == EEXIST && ::rmdir(folder.c_str()) == 0 && ::mkdir(folder.c_str(), 0755) == 0);
  STITCH_TRY(attempt(made, "no group is delegated to us: make " + folder));
  return folder;
}

}  // namespace

Result<std::string> delegated_group() {
  const std::string own = own_group();
  if (own.empty() || ::access((std::string(kRoot) + "/cgroup.controllers").c_str(), F_OK) != 0) {
    return failure(ErrorCode::kEnvironment, "this system does not use control groups of version 2 alone");
  }
  const std::string parent = kRoot + own;
  STITCH_ASSIGN(const std::string folder, make_folder(parent));
  const bool limited =
      ::access((folder + "/memory.max").c_str(), W_OK) == 0 && ::access((folder + "/pids.max").c_str(), W_OK) == 0;
  ::rmdir(folder.c_str());
  if (!limited) {
    return failure(ErrorCode::kEnvironment,
                   fmt::format("{}/cgroup.subtree_control does not hand on memory and pids", parent));
  }
  return parent;
}

Result<ControlGroup> ControlGroup::make(std::optional<uint64_t> memory_bytes, uint64_t process_count) {
  STITCH_ASSIGN(const std::string folder, make_folder(kRoot + own_group()));
  ControlGroup group(folder);
  STITCH_TRY(write_value(folder + "/pids.max", std::to_string(process_count)));
  if (memory_bytes.has_value()) {
    STITCH_TRY(write_value(folder + "/memory.max", std::to_string(*memory_bytes)));
    static_cast<void>(write_value(folder + "/memory.swap.max", "0"));  // not there without swap
  }
  return group;
}

ControlGroup::ControlGroup(ControlGroup&& other) noexcept : folder_(std::exchange(other.folder_, {})) {}

ControlGroup::~ControlGroup() {
  if (folder_.empty()) {
    return;
  }
  static_cast<void>(write_value(folder_ + "/cgroup.kill", "1"));  // Linux 5.14
  constexpr int kRounds = 200;
  for (int round = 0; round < kRounds && ::rmdir(folder_.c_str()) != 0 && errno == EBUSY; ++round) {
    ::usleep(1000);
  }
}

Result<void> ControlGroup::join() const { return write_value(folder_ + "/cgroup.procs", "0"); }

}  // namespace stitch::sandbox
