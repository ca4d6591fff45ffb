// SPDX-License-Identifier: Apache-2.0
#include "runs/index/index_lock.h"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>
#include <thread>

namespace stitch::runs::internal {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kBetweenLooks{10};

}  // namespace

Result<void> IndexLock::change(Kind kind, std::chrono::milliseconds patience) {
  const int operation = (kind == Kind::kShared ? LOCK_SH : LOCK_EX) | LOCK_NB;
  const Clock::time_point end = Clock::now() + patience;
  while (::flock(file_.get(), operation) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR) {
      return failure(ErrorCode::kEnvironment, "the index of runs cannot be locked on this file system");
    }
    if (Clock::now() >= end) {
      return failure(ErrorCode::kTimeout, "another process has the index of runs for too long");
    }
    std::this_thread::sleep_for(kBetweenLooks);
  }
  return {};
}

Result<IndexLock> IndexLock::take(const std::filesystem::path& file, Kind kind, std::chrono::milliseconds patience) {
  IndexLock lock(Descriptor(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)));
  if (!lock.file_.is_open()) {
    return failure(ErrorCode::kEnvironment, "the index of runs cannot be written", file.string());
  }
  STITCH_TRY(lock.change(kind, patience));
  return lock;
}

}  // namespace stitch::runs::internal
