// SPDX-License-Identifier: Apache-2.0
#include "store/sqlite/bell.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>

namespace stitch::store::internal {
namespace {

constexpr mode_t kBellMode = 0600;

}  // namespace

void ring(const std::filesystem::path& bell) {
  static_cast<void>(::utimensat(AT_FDCWD, bell.c_str(), nullptr, 0));  // one that is not there has no listeners
}

Result<void> BellWait::wait(const std::filesystem::path& bell, int64_t timeout_ms) {
  if (bell != bell_) {
    std::error_code ignored;
    std::filesystem::create_directories(bell.parent_path(), ignored);
    const Descriptor file(::open(bell.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, kBellMode));
    Descriptor watch(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
    if (!file.is_open() || !watch.is_open() || ::inotify_add_watch(watch.get(), bell.c_str(), IN_ATTRIB) < 0) {
      return failure(ErrorCode::kEnvironment, "a file that tells of new jobs cannot be watched", bell.string(),
                     "raise fs.inotify.max_user_instances, or start fewer workers");
    }
    watch_ = std::move(watch);
    bell_ = bell;
    return {};
  }
  pollfd ready{watch_.get(), POLLIN, 0};
  static_cast<void>(::poll(&ready, 1, static_cast<int>(timeout_ms)));
  std::array<char, 4096> events;
  while (::read(watch_.get(), events.data(), events.size()) > 0) {
  }
  return {};
}

}  // namespace stitch::store::internal
