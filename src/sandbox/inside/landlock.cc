// SPDX-License-Identifier: Apache-2.0
// Numbers and layouts from the kernel's Documentation/userspace-api/landlock.rst; the system's header may be older than
// the kernel.
#include "sandbox/inside/landlock.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <fstream>

#include "base/process/descriptor.h"
#include "sandbox/inside/attempt.h"
#include "sandbox/inside/system_folders.h"

namespace stitch::sandbox {
namespace {

namespace fs = std::filesystem;

constexpr long kCreateRuleset = 444;
constexpr long kAddRule = 445;
constexpr long kRestrictSelf = 446;
constexpr unsigned kVersionFlag = 1;
constexpr int kPathBeneath = 1;

constexpr uint64_t kExecute = 1u << 0;
constexpr uint64_t kWriteFile = 1u << 1;
constexpr uint64_t kReadFile = 1u << 2;
constexpr uint64_t kReadFolder = 1u << 3;
constexpr uint64_t kVersion1 = (1u << 13) - 1;
constexpr uint64_t kRefer = 1u << 13;     // version 2
constexpr uint64_t kTruncate = 1u << 14;  // version 3
constexpr uint64_t kIoctlDev = 1u << 15;  // version 5
constexpr uint64_t kOfFiles = kExecute | kWriteFile | kReadFile | kTruncate | kIoctlDev;
constexpr uint64_t kBindAndConnect = 3;     // version 4: TCP
constexpr uint64_t kSocketsAndSignals = 3;  // version 6: abstract sockets and signals stay inside

struct Ruleset {
  uint64_t handled_files = 0;
  uint64_t handled_network = 0;
  uint64_t scoped = 0;
};
struct __attribute__((packed)) PathRule {
  uint64_t allowed = 0;
  int32_t parent = -1;
};

uint64_t rights_of_version(int version) {
  return kVersion1 | (version >= 2 ? kRefer : 0) | (version >= 3 ? kTruncate : 0) | (version >= 5 ? kIoctlDev : 0);
}

size_t ruleset_bytes(int version) { return version >= 6 ? 24 : version >= 4 ? 16 : 8; }

class Rules {
 public:
  Rules(int ruleset, uint64_t handled) : ruleset_(ruleset), handled_(handled) {}

  // What is not there needs no rule.
  Result<void> allow(const fs::path& path, uint64_t rights) {
    const Descriptor parent(::open(path.c_str(), O_PATH | O_CLOEXEC));
    struct stat status {};
    if (!parent.is_open() || ::fstat(parent.get(), &status) != 0) {
      return {};
    }
    const uint64_t possible = S_ISDIR(status.st_mode) ? rights : rights & kOfFiles;
    const PathRule rule{.allowed = possible & handled_, .parent = parent.get()};
    return attempt(::syscall(kAddRule, ruleset_, kPathBeneath, &rule, 0) == 0, "allow " + path.string());
  }
  Result<void> allow(const std::vector<fs::path>& paths, uint64_t rights) {
    for (const fs::path& path : paths) {
      STITCH_TRY(allow(path, rights));
    }
    return {};
  }

 private:
  int ruleset_;
  uint64_t handled_;
};

// The loader that a program names: it is executed as well. Empty for a program without one.
std::string loader_of(const std::string& program) {
  std::ifstream file(program, std::ios::binary);
  Elf64_Ehdr header{};
  if (!file.read(reinterpret_cast<char*>(&header), sizeof(header)) || header.e_phentsize != sizeof(Elf64_Phdr)) {
    return {};
  }
  for (int i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment{};
    file.seekg(static_cast<std::streamoff>(header.e_phoff + sizeof(segment) * static_cast<size_t>(i)));
    if (file.read(reinterpret_cast<char*>(&segment), sizeof(segment)) && segment.p_type == PT_INTERP &&
        segment.p_filesz > 1 && segment.p_filesz < 4096) {
      std::string name(segment.p_filesz - 1, '\0');
      file.seekg(static_cast<std::streamoff>(segment.p_offset));
      file.read(name.data(), static_cast<std::streamsize>(name.size()));
      return name;
    }
  }
  return {};
}

Result<void> allow_all(Rules& rules, const CagePolicy& policy, const std::string& program, bool own_root,
                       bool own_processes) {
  const uint64_t read = kReadFile | kReadFolder | (policy.may_start_programs ? kExecute : 0);
  STITCH_TRY(rules.allow(system_folders(), read));
  STITCH_TRY(rules.allow(policy.readable, read));
  STITCH_TRY(rules.allow(policy.data, kReadFile | kReadFolder));
  STITCH_TRY(rules.allow(policy.writable, ~uint64_t{0}));
  STITCH_TRY(rules.allow(program, kReadFile | kExecute));
  STITCH_TRY(rules.allow(loader_of(program), kReadFile | kExecute));
  STITCH_TRY(rules.allow(system_devices(policy.gpu), kReadFile | kReadFolder | kWriteFile | kIoctlDev));
  if (policy.gpu) {
    STITCH_TRY(rules.allow(driver_folders(), kReadFile | kReadFolder));
    STITCH_TRY(own_root ? rules.allow("/dev/shm", ~uint64_t{0}) : Result<void>());
  }
  STITCH_TRY(own_root ? rules.allow("/tmp", ~uint64_t{0} & ~(policy.may_start_programs ? 0 : kExecute))
                      : Result<void>());
  const uint64_t name_threads = policy.gpu ? kWriteFile | kTruncate : 0;  // as CUDA's driver does
  if (own_processes && own_root) {
    return rules.allow("/proc", kReadFile | kReadFolder | name_threads);
  }
  STITCH_TRY(rules.allow("/proc/self/task", kReadFile | kReadFolder | name_threads));
  // Its own entry, and what says something of the machine alone.
  return rules.allow({"/proc/self", "/proc/cpuinfo", "/proc/meminfo", "/proc/stat", "/proc/devices",
                      "/proc/driver/nvidia", "/proc/sys/vm/overcommit_memory"},
                     kReadFile | kReadFolder);
}

}  // namespace

Result<int> landlock_version() {
  const long version = ::syscall(kCreateRuleset, nullptr, 0, kVersionFlag);
  if (version >= 1) {
    return static_cast<int>(version);
  }
  return failure(ErrorCode::kEnvironment, errno == EOPNOTSUPP ? "switched off when this kernel was started"
                                          : errno == ENOSYS   ? "this kernel has no Landlock"
                                                              : "this container forbids Landlock");
}

Result<void> apply_landlock(const CagePolicy& policy, const std::string& program, bool own_root, bool own_processes) {
  STITCH_ASSIGN(const int version, landlock_version());
  const Ruleset wanted = {.handled_files = rights_of_version(version),
                          .handled_network = version >= 4 ? kBindAndConnect : 0,
                          .scoped = version >= kLandlockScopesSignals ? kSocketsAndSignals : 0};
  const Descriptor ruleset(static_cast<int>(::syscall(kCreateRuleset, &wanted, ruleset_bytes(version), 0)));
  STITCH_TRY(attempt(ruleset.is_open(), "make Landlock rules"));
  Rules rules(ruleset.get(), wanted.handled_files);
  STITCH_TRY(allow_all(rules, policy, program, own_root, own_processes));
  return attempt(::syscall(kRestrictSelf, ruleset.get(), 0) == 0, "apply Landlock rules");
}

}  // namespace stitch::sandbox
