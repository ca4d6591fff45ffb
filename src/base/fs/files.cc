// SPDX-License-Identifier: Apache-2.0
#include "base/fs/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <mutex>
#include <set>
#include <sstream>

#include "base/process/identity.h"
#include "base/process/last_will.h"

namespace stitch {
namespace {

// The folders to remove when the process is interrupted: the one piece of process-wide state here, since a signal is
// process-wide too.
std::mutex& live_mutex() {
  static std::mutex mutex;
  return mutex;
}
std::set<std::filesystem::path>& live_directories() {
  static std::set<std::filesystem::path> directories;
  return directories;
}

Unexpected io_failure(const char* what, const std::filesystem::path& path, const char* remedy) {
  return failure(ErrorCode::kEnvironment, fmt::format("cannot {} {}: {}", what, path.string(), std::strerror(errno)),
                 path.string(), remedy);
}

Result<void> write_all(int descriptor, std::string_view text, const std::filesystem::path& path) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) {
      continue;
    }
    if (written < 0) {
      return io_failure("write", path, "free some disk space or choose another folder with --out");
    }
    text.remove_prefix(static_cast<size_t>(written));
  }
  return {};
}

}  // namespace

Result<std::string> read_file(const std::filesystem::path& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    return failure(ErrorCode::kFileInvalid, fmt::format("{} is a folder, not a file", path.string()), path.string(),
                   "name a file");
  }
  errno = 0;
  std::ifstream stream(path, std::ios::binary);
  if (!stream) {
    return failure(ErrorCode::kFileInvalid, fmt::format("cannot read {}: {}", path.string(), std::strerror(errno)),
                   path.string(), "check the path and its permissions");
  }
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

Result<void> write_file(const std::filesystem::path& path, std::string_view text) {
  if (path.has_parent_path()) {
    STITCH_TRY(make_directories(path.parent_path()));
  }
  // Threads, and processes of other containers that share the folder, may write the same file at once.
  const std::string aside = fmt::format("{}.{}-{}.tmp", path.string(), own_name_part(), ::gettid());
  const int descriptor = ::open(aside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (descriptor < 0) {
    return io_failure("write", path, "choose a folder you may write to with --out");
  }
  Result<void> written = write_all(descriptor, text, path);
  if (::close(descriptor) != 0 && written.has_value()) {
    written = io_failure("write", path, "free some disk space or choose another folder with --out");
  }
  if (written.has_value() && ::rename(aside.c_str(), path.c_str()) != 0) {
    written = io_failure("replace", path, "choose a folder you may write to with --out");
  }
  if (!written.has_value()) {
    ::unlink(aside.c_str());
  }
  return written;
}

Result<void> make_directories(const std::filesystem::path& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) {
    return failure(ErrorCode::kEnvironment,
                   fmt::format("cannot make the folder {}: {}", path.string(), error.message()), path.string(),
                   "choose a folder you may write to with --out");
  }
  return {};
}

Result<TemporaryDirectory> TemporaryDirectory::make(const std::string& prefix, const std::filesystem::path& parent) {
  std::error_code error;
  std::filesystem::path base = parent.empty() ? std::filesystem::temp_directory_path(error) : parent;
  if (base.empty()) {
    base = "/tmp";
  }
  std::string name = (base / (prefix + "-" + own_name_part() + "-XXXXXX")).string();
  if (::mkdtemp(name.data()) == nullptr) {
    return io_failure("make a temporary folder under", base, "set TMPDIR to a folder you may write to");
  }
  const std::lock_guard lock(live_mutex());
  live_directories().insert(name);
  will_remove(name);
  return TemporaryDirectory(name);
}

TemporaryDirectory::TemporaryDirectory(TemporaryDirectory&& other) noexcept : path_(std::move(other.path_)) {
  other.path_.clear();
}

TemporaryDirectory& TemporaryDirectory::operator=(TemporaryDirectory&& other) noexcept {
  std::swap(path_, other.path_);
  return *this;
}

TemporaryDirectory::~TemporaryDirectory() {
  if (!path_.empty()) {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
    release();
  }
}

void TemporaryDirectory::release() {
  const std::lock_guard lock(live_mutex());
  live_directories().erase(path_);
  will_keep(path_);
  path_.clear();
}

void remove_leftovers(const std::filesystem::path& parent, const std::string& prefix) {
  constexpr size_t kDrawn = 7;  // "-XXXXXX"
  std::error_code error;
  for (std::filesystem::directory_iterator entry(parent, error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (name.size() <= prefix.size() + kDrawn || !name.starts_with(prefix)) {
      continue;
    }
    // The three numbers before the drawn letters; a dash may stand in the prefix too.
    const std::string before = name.substr(0, name.size() - kDrawn);
    size_t start = before.size();
    for (int dash = 0; dash < 3 && start != std::string::npos && start > 0; ++dash) {
      start = before.rfind('-', start - 1);
    }
    if (start != std::string::npos && is_name_part_of_gone(before.substr(start + 1))) {
      std::error_code ignored;
      std::filesystem::remove_all(entry->path(), ignored);
    }
  }
}

void remove_temporary_directories() {
  const std::lock_guard lock(live_mutex());
  for (const std::filesystem::path& path : live_directories()) {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
}

}  // namespace stitch
