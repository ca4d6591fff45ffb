// SPDX-License-Identifier: Apache-2.0
// The order of things is bubblewrap's: a tmpfs becomes the root, the old root lies below it until everything has been
// bound from there, then it is let go of.
#include "sandbox/inside/root_folder.h"

#include <fcntl.h>
#include <linux/mount.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <string>

#include "sandbox/inside/attempt.h"
#include "sandbox/inside/shown_path.h"
#include "sandbox/inside/system_folders.h"

namespace stitch::sandbox {
namespace {

namespace fs = std::filesystem;

constexpr const char* kOld = "/.old";
constexpr uint64_t kReadOnly = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;
constexpr uint64_t kWritable = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;
constexpr uint64_t kData = kReadOnly | MOUNT_ATTR_NOEXEC;
constexpr uint64_t kDevice = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC;

struct Binding {
  fs::path target;
  fs::path source;  // without symbolic links, so that it can be followed below another root
  uint64_t attributes = kReadOnly;
};

Result<void> set_attributes(const fs::path& path, uint64_t attributes, unsigned flags) {
  mount_attr wanted{};
  wanted.attr_set = attributes;
  return attempt(::syscall(SYS_mount_setattr, AT_FDCWD, path.c_str(), flags, &wanted, sizeof(wanted)) == 0,
                 fmt::format("make {} read-only", path.string()));
}

void add_bindings(std::vector<Binding>& bindings, const std::vector<fs::path>& paths, uint64_t attributes) {
  for (const ShownPath& shown : shown_paths(paths)) {
    bindings.push_back({shown.target, shown.source, attributes});
  }
}

std::vector<Binding> bindings_of(const CagePolicy& policy) {
  std::vector<Binding> bindings;
  add_bindings(bindings, policy.data, kData);
  add_bindings(bindings, policy.readable, kReadOnly);
  add_bindings(bindings, policy.writable, kWritable | (policy.may_start_programs ? 0 : MOUNT_ATTR_NOEXEC));
  add_bindings(bindings, system_devices(policy.gpu), kDevice);
  if (policy.gpu) {
    add_bindings(bindings, driver_folders(), kReadOnly);
  }
  return bindings;
}

bool are_same(const fs::path& one, const fs::path& other) {
  struct stat a {};
  struct stat b {};
  return ::stat(one.c_str(), &a) == 0 && ::stat(other.c_str(), &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

bool forbids_code(const fs::path& path) {
  struct statvfs status {};
  return ::statvfs(path.c_str(), &status) == 0 && (status.f_flag & ST_NOEXEC) != 0;
}

// A place to mount on.
Result<void> make_place(const fs::path& target, bool is_folder) {
  std::error_code error;
  fs::create_directories(is_folder ? target : target.parent_path(), error);
  if (error) {
    return failure(ErrorCode::kEnvironment, fmt::format("make {}: {}", target.string(), error.message()));
  }
  if (is_folder) {
    return {};
  }
  const int made = ::open(target.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC | O_NOFOLLOW, 0444);
  STITCH_TRY(attempt(made >= 0 || errno == EROFS || fs::exists(target), "make " + target.string()));
  ::close(made);
  return {};
}

Result<void> bind(const Binding& binding) {
  const fs::path source = kOld + binding.source.string();
  if (binding.attributes == kReadOnly && are_same(source, binding.target) && !forbids_code(binding.target)) {
    return {};  // part of a folder that is there already
  }
  STITCH_TRY(make_place(binding.target, fs::is_directory(source)));
  STITCH_TRY(attempt(::mount(source.c_str(), binding.target.c_str(), nullptr, MS_BIND | MS_REC, nullptr) == 0,
                     fmt::format("show {} in the cage", binding.target.string())));
  return set_attributes(binding.target, binding.attributes, AT_RECURSIVE);
}

// /lib is a symbolic link on most systems today, a folder on others.
Result<void> bind_system(const std::vector<fs::path>& folders) {
  for (const fs::path& path : folders) {
    const fs::path below = kOld + path.string();
    std::error_code error;
    if (fs::is_symlink(below, error)) {
      fs::create_symlink(fs::read_symlink(below, error), path, error);
    } else {
      STITCH_TRY(bind({path, path, kReadOnly}));
    }
  }
  return {};
}

// What speaks of the machine, below a /proc that can be written.
Result<void> close_machine_settings() {
  for (const char* path : {"/proc/sys", "/proc/sysrq-trigger", "/proc/irq", "/proc/bus", "/proc/fs", "/proc/acpi"}) {
    if (::access(path, F_OK) == 0) {
      STITCH_TRY(attempt(::mount(path, path, nullptr, MS_BIND | MS_REC, nullptr) == 0, fmt::format("bind {}", path)));
      STITCH_TRY(set_attributes(path, kReadOnly | MOUNT_ATTR_NOEXEC, AT_RECURSIVE));
    }
  }
  return {};
}

// CUDA's driver names its threads through /proc/self/task and does not start where it cannot (cuInit: 304).
Result<void> show_processes(const CagePolicy& policy, const Layers& layers) {
  ::mkdir("/proc", 0555);
  const bool own_processes = layers.has(Layer::kProcesses);
  const bool may_write = policy.gpu && (own_processes || layers.has(Layer::kLandlock));
  if (!own_processes) {
    return bind({"/proc", "/proc", (may_write ? kWritable : kReadOnly) | MOUNT_ATTR_NOEXEC});
  }
  constexpr unsigned long kFlags = MS_NOSUID | MS_NODEV | MS_NOEXEC;
  if (may_write && ::mount("proc", "/proc", "proc", kFlags, nullptr) == 0) {
    return close_machine_settings();
  }
  return attempt(::mount("proc", "/proc", "proc", kFlags | MS_RDONLY, nullptr) == 0, "mount a fresh /proc");
}

Result<void> mount_scratch(const char* path, uint64_t bytes, bool may_start_programs) {
  ::mkdir(path, 01777);
  const std::string options = fmt::format("size={},nr_inodes=16384,mode=1777", bytes);
  const unsigned long flags = MS_NOSUID | MS_NODEV | (may_start_programs ? 0ul : static_cast<unsigned long>(MS_NOEXEC));
  return attempt(::mount("tmpfs", path, "tmpfs", flags, options.c_str()) == 0, fmt::format("mount {}", path));
}

Result<void> move_to_empty_root() {
  STITCH_TRY(attempt(::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0,
                     "part with the system's mounts (not possible below chroot)"));
  const char* base = ::access("/tmp", F_OK) == 0 ? "/tmp" : "/usr";
  const char* options = "size=4m,nr_inodes=4096,mode=0755";
  STITCH_TRY(attempt(::mount("tmpfs", base, "tmpfs", MS_NOSUID | MS_NODEV, options) == 0, "mount a tmpfs"));
  STITCH_TRY(attempt(::chdir(base) == 0 && ::mkdir(kOld + 1, 0700) == 0, "make a root folder"));
  STITCH_TRY(attempt(::syscall(SYS_pivot_root, ".", kOld + 1) == 0, "change the root folder"));
  return attempt(::chdir("/") == 0, "enter the root folder");
}

}  // namespace

Result<void> enter_own_root(const CagePolicy& policy, const Layers& layers) {
  const std::vector<fs::path> folders = system_folders();
  const std::vector<Binding> bindings = bindings_of(policy);
  const mode_t mask = ::umask(022);
  STITCH_TRY(attempt(::unshare(CLONE_NEWNS) == 0, "make a mount namespace"));
  STITCH_TRY(move_to_empty_root());
  STITCH_TRY(mount_scratch("/tmp", policy.scratch_bytes, policy.may_start_programs));
  STITCH_TRY(bind_system(folders));
  ::mkdir("/dev", 0755);
  for (const Binding& binding : bindings) {
    STITCH_TRY(bind(binding));
  }
  if (policy.gpu) {
    STITCH_TRY(mount_scratch("/dev/shm", policy.scratch_bytes, false));
  }
  STITCH_TRY(show_processes(policy, layers));
  STITCH_TRY(attempt(::umount2(kOld, MNT_DETACH) == 0 && ::rmdir(kOld) == 0, "let go of the old root folder"));
  ::umask(mask);
  return set_attributes("/", kReadOnly, 0);
}

}  // namespace stitch::sandbox
