// SPDX-License-Identifier: Apache-2.0
#include "base/fs/file_slot.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "base/fs/files.h"

namespace stitch {
namespace {

Result<Descriptor> open_slot(const std::filesystem::path& file, int number) {
  STITCH_TRY(make_directories(file.parent_path()));
  const std::string path = fmt::format("{}.{}", file.string(), number);
  Descriptor descriptor(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644));
  if (!descriptor.is_open()) {
    return failure(ErrorCode::kEnvironment, "a lock that this machine's processes share cannot be opened", path,
                   "make the folder writable, or name another with STITCHCUDA_NODE");
  }
  return descriptor;
}

}  // namespace

Result<std::optional<FileSlot>> FileSlot::try_take(const std::filesystem::path& file, int count) {
  for (int i = 0; i < count; ++i) {
    STITCH_ASSIGN(Descriptor descriptor, open_slot(file, i));
    if (::flock(descriptor.get(), LOCK_EX | LOCK_NB) == 0) {
      return std::optional(FileSlot(std::move(descriptor)));
    }
  }
  return std::optional<FileSlot>{};
}

// All are taken: those that wait are spread over them, and the kernel wakes one where one is left.
Result<FileSlot> FileSlot::take(const std::filesystem::path& file, int count) {
  STITCH_ASSIGN(std::optional<FileSlot> free, try_take(file, count));
  if (free.has_value()) {
    return std::move(*free);
  }
  STITCH_ASSIGN(Descriptor descriptor, open_slot(file, static_cast<int>(::getpid()) % count));
  while (::flock(descriptor.get(), LOCK_EX) != 0) {
    if (errno != EINTR) {
      return failure(ErrorCode::kEnvironment, "a lock that this machine's processes share cannot be taken",
                     file.string(), "name a folder on a disk of this machine with STITCHCUDA_NODE");
    }
  }
  return FileSlot(std::move(descriptor));
}

std::filesystem::path node_folder() {
  const char* named = std::getenv("STITCHCUDA_NODE");
  if (named != nullptr && *named != '\0') {
    return named;
  }
  std::error_code ignored;
  return std::filesystem::temp_directory_path(ignored) / fmt::format("stitchcuda.{}", ::getuid());
}

}  // namespace stitch
