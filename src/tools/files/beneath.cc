// SPDX-License-Identifier: Apache-2.0
#include "tools/files/beneath.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>

namespace stitch::tools {
namespace {

namespace fs = std::filesystem;

constexpr int kFolder = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
constexpr size_t kMaxDepth = 32;

Unexpected refused(const std::string& path, const std::string& why) {
  return failure(ErrorCode::kUsage, path + " " + why, path, "name a plain file of the workspace");
}

Unexpected refused_by(const std::string& path, int error) {
  if (error == ELOOP || error == ENOTDIR) {
    return refused(path, "is a link, or leads through one: links are not followed");
  }
  return error == ENOENT ? refused(path, "is not there")
                         : refused(path, fmt::format("failed: {}", std::strerror(error)));
}

Result<void> write_all(int file, std::string_view text, const std::string& path) {
  while (!text.empty()) {
    const ssize_t count = ::write(file, text.data(), text.size());
    if (count < 0 && errno != EINTR) {
      return failure(ErrorCode::kEnvironment, fmt::format("{} could not be written: {}", path, std::strerror(errno)),
                     path, "make room on the disk");
    }
    text.remove_prefix(static_cast<size_t>(std::max<ssize_t>(count, 0)));
  }
  return {};
}

}  // namespace

Result<Beneath> Beneath::open(const fs::path& folder) {
  Descriptor root(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!root.is_open()) {
    return failure(ErrorCode::kEnvironment, fmt::format("the workspace cannot be opened: {}", std::strerror(errno)),
                   folder.string(), "begin the run again");
  }
  return Beneath(std::move(root), folder);
}

Result<std::vector<std::string>> Beneath::parts_of(const std::string& path) const {
  if (path.find('\0') != std::string::npos) {
    return refused("a path", "holds a zero byte");
  }
  fs::path plain = fs::path(path).lexically_normal();
  if (plain.is_absolute()) {
    plain = plain.lexically_relative(folder_.lexically_normal());
  }
  std::vector<std::string> parts;
  for (const fs::path& part : plain) {
    if (part == "..") {
      return refused(path, "leads out of the workspace");
    }
    if (!part.empty() && part != ".") {
      parts.push_back(part.string());
    }
  }
  if (parts.empty() || parts.size() > kMaxDepth) {
    return refused(path.empty() ? "the empty path" : path, "names no file of the workspace");
  }
  return parts;
}

Result<Beneath::Place> Beneath::place_of(const std::string& path, bool makes_folders) const {
  STITCH_ASSIGN(const std::vector<std::string> parts, parts_of(path));
  Place place{Descriptor(::openat(root_.get(), ".", kFolder)), parts.back()};
  for (size_t i = 0; i + 1 < parts.size() && place.folder.is_open(); ++i) {
    if (makes_folders) {
      ::mkdirat(place.folder.get(), parts[i].c_str(), 0777);
    }
    place.folder = Descriptor(::openat(place.folder.get(), parts[i].c_str(), kFolder));
  }
  if (!place.folder.is_open()) {
    return refused_by(path, errno);
  }
  return place;
}

Result<std::string> Beneath::read(const std::string& path, uint64_t max_bytes) const {
  STITCH_ASSIGN(const Place place, place_of(path, false));
  // A pipe that nobody writes to is not waited for.
  const Descriptor file(
      ::openat(place.folder.get(), place.name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat facts {};
  if (!file.is_open() || ::fstat(file.get(), &facts) != 0) {
    return refused_by(path, errno);
  }
  if (!S_ISREG(facts.st_mode)) {
    return refused(path, S_ISDIR(facts.st_mode) ? "is a folder: see glob" : "is no plain file");
  }
  if (static_cast<uint64_t>(facts.st_size) > max_bytes) {
    return refused(path, fmt::format("has {} bytes, more than the {} that are read", facts.st_size, max_bytes));
  }
  std::string text;
  std::array<char, 65536> bytes{};
  while (text.size() <= max_bytes) {
    const ssize_t count = ::read(file.get(), bytes.data(), bytes.size());
    if (count == 0) {
      return text;
    }
    if (count < 0 && errno != EINTR) {
      return refused_by(path, errno);
    }
    text.append(bytes.data(), static_cast<size_t>(std::max<ssize_t>(count, 0)));
  }
  return refused(path, "grew while it was read");
}

Result<void> Beneath::write(const std::string& path, const std::string& text) const {
  STITCH_ASSIGN(const Place place, place_of(path, true));
  struct stat facts {};
  if (::fstatat(place.folder.get(), place.name.c_str(), &facts, AT_SYMLINK_NOFOLLOW) == 0 && !S_ISREG(facts.st_mode)) {
    return refused(path, S_ISLNK(facts.st_mode) ? "is a link: links are not followed" : "is no plain file");
  }
  const std::string fresh = "." + place.name.substr(0, 200) + ".fresh";
  ::unlinkat(place.folder.get(), fresh.c_str(), 0);
  const Descriptor file(
      ::openat(place.folder.get(), fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666));
  if (!file.is_open()) {
    return refused_by(path, errno);
  }
  STITCH_TRY(write_all(file.get(), text, path));
  if (::renameat(place.folder.get(), fresh.c_str(), place.folder.get(), place.name.c_str()) != 0) {
    return refused_by(path, errno);
  }
  return {};
}

Result<void> Beneath::remove(const std::string& path) const {
  STITCH_ASSIGN(const Place place, place_of(path, false));
  const bool is_gone = ::unlinkat(place.folder.get(), place.name.c_str(), 0) == 0 || errno == ENOENT;
  return is_gone ? Result<void>() : Result<void>(refused_by(path, errno));
}

void Beneath::list(int folder, const std::string& prefix, size_t max_files, std::vector<FileBeneath>& found) const {
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(::fdopendir(::dup(folder)), ::closedir);
  if (entries == nullptr || std::count(prefix.begin(), prefix.end(), '/') > static_cast<std::ptrdiff_t>(kMaxDepth)) {
    return;
  }
  std::vector<std::string> names;
  for (dirent* entry = ::readdir(entries.get()); entry != nullptr; entry = ::readdir(entries.get())) {
    names.emplace_back(entry->d_name);
  }
  std::sort(names.begin(), names.end());
  for (const std::string& name : names) {
    struct stat facts {};
    if (name == "." || name == ".." || found.size() >= max_files ||
        ::fstatat(folder, name.c_str(), &facts, AT_SYMLINK_NOFOLLOW) != 0) {
      continue;
    }
    if (S_ISREG(facts.st_mode)) {
      found.push_back({prefix + name, static_cast<uint64_t>(facts.st_size)});
    } else if (S_ISDIR(facts.st_mode)) {
      const Descriptor below(::openat(folder, name.c_str(), kFolder));
      if (below.is_open()) {
        list(below.get(), prefix + name + "/", max_files, found);
      }
    }
  }
}

std::vector<FileBeneath> Beneath::list(size_t max_files) const {
  std::vector<FileBeneath> found;
  const Descriptor root(::openat(root_.get(), ".", kFolder));
  if (root.is_open()) {
    list(root.get(), "", max_files, found);
  }
  return found;
}

}  // namespace stitch::tools
