// SPDX-License-Identifier: Apache-2.0
#include "sandbox/inside/own_user.h"

#include <grp.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <string>

#include "sandbox/inside/attempt.h"

namespace stitch::sandbox {
namespace {

namespace fs = std::filesystem;

// The range from which systemd takes ids for services that have none; containers map it too.
constexpr uid_t kFirst = 61184;
constexpr uid_t kCount = 65520 - kFirst;

bool is_open_to_others(const fs::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) {
    return true;  // not there: nothing to be read
  }
  const mode_t wanted = S_ISDIR(status.st_mode) ? S_IROTH | S_IXOTH : S_IROTH;
  return (status.st_mode & wanted) == wanted;
}

bool can_be_reached(const fs::path& path) {
  for (fs::path folder = path.parent_path(); folder != folder.parent_path(); folder = folder.parent_path()) {
    struct stat status {};
    if (::stat(folder.c_str(), &status) == 0 && (status.st_mode & S_IXOTH) == 0) {
      return false;
    }
  }
  return true;
}

}  // namespace

std::optional<uid_t> own_user_id(const CagePolicy& policy, const std::string& program, bool own_root) {
  std::vector<fs::path> read = policy.readable;
  read.insert(read.end(), policy.data.begin(), policy.data.end());
  read.emplace_back(program);
  for (const fs::path& path : read) {
    std::error_code error;
    const fs::path true_path = fs::canonical(path, error);
    if (!error && (!is_open_to_others(true_path) || (!own_root && !can_be_reached(true_path)))) {
      return std::nullopt;
    }
  }
  for (const fs::path& path : policy.writable) {
    if (!own_root && !can_be_reached(path)) {
      return std::nullopt;
    }
  }
  return kFirst + static_cast<uid_t>(::getpid()) % kCount;
}

Result<void> give_up_privileges(std::optional<uid_t> user) {
  for (int capability = 0; capability < 64; ++capability) {
    ::prctl(PR_CAPBSET_DROP, capability, 0, 0, 0);  // refused to whoever lacks the right: then there is none to drop
  }
  ::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  if (user.has_value()) {
    STITCH_TRY(attempt(
        ::setgroups(0, nullptr) == 0 && ::setresgid(*user, *user, *user) == 0 && ::setresuid(*user, *user, *user) == 0,
        "become another user"));
  }
  __user_cap_header_struct header{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  __user_cap_data_struct none[2] = {};
  return attempt(::syscall(SYS_capset, &header, none) == 0, "give up privileges");
}

Result<void> hand_over(const CagePolicy& policy, uid_t user) {
  for (const fs::path& folder : policy.writable) {
    STITCH_TRY(attempt(::lchown(folder.c_str(), user, user) == 0, "hand over " + folder.string()));
    std::error_code error;
    for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
      STITCH_TRY(attempt(::lchown(entry->path().c_str(), user, user) == 0, "hand over " + entry->path().string()));
    }
  }
  return {};
}

}  // namespace stitch::sandbox
