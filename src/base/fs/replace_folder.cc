// SPDX-License-Identifier: Apache-2.0
#include "base/fs/replace_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/fs/files.h"
#include "base/process/descriptor.h"

namespace stitch {
namespace {

namespace fs = std::filesystem;

Unexpected cannot_replace(const fs::path& folder, const std::string& why) {
  return failure(ErrorCode::kEnvironment, fmt::format("cannot replace {}: {}", folder.string(), why), folder.string(),
                 "choose another folder with --out");
}

// Held until its descriptor is closed. A file system without locks goes without: the exchange is one step all the same.
Descriptor lock_folder(const fs::path& parent) {
  Descriptor descriptor(::open(parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (descriptor.is_open()) {
    ::flock(descriptor.get(), LOCK_EX);
  }
  return descriptor;
}

fs::path old_aside(const fs::path& folder) {
  return folder.parent_path() / ("." + folder.filename().string() + ".stitchcuda-old");
}

// For file systems that cannot exchange two names: a moment without the folder, which recover() ends.
Result<void> exchange_in_two_steps(const fs::path& fresh, const fs::path& folder) {
  const fs::path aside = old_aside(folder);
  if (::rename(folder.c_str(), aside.c_str()) != 0) {
    return cannot_replace(folder, std::strerror(errno));
  }
  if (::rename(fresh.c_str(), folder.c_str()) != 0) {
    const std::string why = std::strerror(errno);
    ::rename(aside.c_str(), folder.c_str());
    return cannot_replace(folder, why);
  }
  std::error_code ignored;
  fs::remove_all(aside, ignored);
  return {};
}

void recover(const fs::path& folder) {
  std::error_code ignored;
  const fs::path aside = old_aside(folder);
  if (!fs::exists(folder, ignored)) {
    fs::rename(aside, folder, ignored);
  } else {
    fs::remove_all(aside, ignored);
  }
}

// Private as temporary folders are, until it is somebody's.
void take_mode(const fs::path& fresh, const fs::path& folder) {
  struct stat old {};
  const mode_t mask = ::umask(0);
  ::umask(mask);
  ::chmod(fresh.c_str(), ::stat(folder.c_str(), &old) == 0 ? old.st_mode & 07777U : 0777U & ~mask);
}

}  // namespace

fs::path real_folder(const fs::path& folder) {
  std::error_code error;
  fs::path real = fs::weakly_canonical(fs::absolute(folder, error), error);
  real = (error ? fs::absolute(folder, error) : real).lexically_normal();
  return real.has_filename() ? real : real.parent_path();
}

Result<void> carry_file(const fs::path& from, const fs::path& to) {
  std::error_code error;
  if (fs::is_symlink(fs::symlink_status(from, error))) {
    fs::copy_symlink(from, to, error);
  } else {
    fs::create_hard_link(from, to, error);
    if (error) {
      error.clear();
      fs::copy_file(from, to, error);
    }
  }
  return error ? Result<void>(failure(ErrorCode::kEnvironment,
                                      fmt::format("cannot keep your {}: {}", from.string(), error.message()),
                                      from.string(), "choose another folder with --out"))
               : Result<void>();
}

Result<void> replace_folder(const fs::path& asked, const std::function<Result<void>(const fs::path&)>& fill,
                            const std::function<Result<void>(const fs::path&)>& carry) {
  const fs::path folder = real_folder(asked);
  const std::string prefix = "." + folder.filename().string() + ".stitchcuda";
  STITCH_TRY(make_directories(folder.parent_path()));
  remove_leftovers(folder.parent_path(), prefix + "-");
  STITCH_ASSIGN(TemporaryDirectory fresh, TemporaryDirectory::make(prefix, folder.parent_path()));
  STITCH_TRY(fill(fresh.path()));
  const Descriptor lock = lock_folder(folder.parent_path());
  recover(folder);
  take_mode(fresh.path(), folder);
  std::error_code ignored;
  if (!fs::exists(folder, ignored)) {
    if (::rename(fresh.path().c_str(), folder.c_str()) != 0) {
      return cannot_replace(folder, std::strerror(errno));
    }
    fresh.release();
    return {};
  }
  STITCH_TRY(carry(fresh.path()));
  // What is then called `fresh` is the old one, and goes as temporary folders do.
  if (::renameat2(AT_FDCWD, fresh.path().c_str(), AT_FDCWD, folder.c_str(), RENAME_EXCHANGE) == 0) {
    return {};
  }
  return exchange_in_two_steps(fresh.path(), folder);
}

}  // namespace stitch
