// SPDX-License-Identifier: Apache-2.0
#include "farm/artefacts/artefacts.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>

#include "base/fs/files.h"
#include "base/hash/sha256.h"
#include "store/open/open_store.h"

namespace stitch::farm {
namespace {

namespace fs = std::filesystem;

Unexpected too_large(const std::string& what, uint64_t max) {
  return failure(ErrorCode::kFileInvalid, fmt::format("more than {} MiB of artefacts", max >> 20), what,
                 "leave out what a verdict does not need");
}

// One that is no regular file, such as a pipe or a device, would be read for ever.
Result<std::string> read_regular(const fs::path& path) {
  std::error_code failed;
  const fs::file_status status = fs::symlink_status(path, failed);
  if (!fs::is_regular_file(status)) {
    return failure(ErrorCode::kEnvironment, "an artefact is missing", path.string(),
                   "mount the same folder everywhere that --artefacts names it");
  }
  const uint64_t size = fs::file_size(path, failed);
  return failed || size > Artefacts::kMaxFileBytes ? Result<std::string>(too_large(path, Artefacts::kMaxFileBytes))
                                                   : read_file(path);
}

}  // namespace

fs::path Artefacts::path_of(const std::string& digest) const { return folder_ / digest.substr(0, 2) / digest; }

Result<std::string> Artefacts::put(std::string_view bytes) const {
  if (bytes.size() > kMaxFileBytes) {
    return too_large(folder_.string(), kMaxFileBytes);
  }
  std::string digest = sha256_hex(bytes);
  const fs::path path = path_of(digest);
  std::error_code failed;
  if (fs::is_regular_file(fs::symlink_status(path, failed)) && fs::file_size(path, failed) == bytes.size() && !failed) {
    static_cast<void>(::utimensat(AT_FDCWD, path.c_str(), nullptr, 0));  // in use: who tidies up by age leaves it
    return digest;
  }
  STITCH_TRY(write_file(path, bytes));
  return digest;
}

Result<std::string> Artefacts::get(const std::string& digest) const {
  if (!is_digest(digest)) {
    return failure(ErrorCode::kFileInvalid, fmt::format("'{}' is no digest of an artefact", digest));
  }
  STITCH_ASSIGN(std::string bytes, read_regular(path_of(digest)));
  if (sha256_hex(bytes) != digest) {
    return failure(ErrorCode::kFileInvalid, "an artefact is not what its digest says", path_of(digest).string(),
                   "remove the file: it is written again when its job is submitted again");
  }
  return bytes;
}

Result<std::vector<PlacedFile>> Artefacts::put_all(const fs::path& from, const std::string& place) const {
  std::error_code failed;
  std::vector<std::pair<fs::path, std::string>> found;
  if (fs::is_directory(from, failed)) {
    fs::recursive_directory_iterator entry(from, fs::directory_options::skip_permission_denied, failed);
    for (const fs::recursive_directory_iterator end; !failed && entry != end; entry.increment(failed)) {
      if (fs::is_regular_file(entry->symlink_status())) {
        const std::string below = entry->path().lexically_relative(from).generic_string();
        found.emplace_back(entry->path(), place.empty() ? below : place + "/" + below);
      }
    }
  } else {
    found.emplace_back(from, place);
  }
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  std::vector<PlacedFile> files;
  uint64_t total = 0;
  for (const auto& [path, at] : found) {
    if (!is_place(at)) {
      continue;  // a name that no job may have
    }
    STITCH_ASSIGN(const std::string bytes, from == path ? read_file(path) : read_regular(path));
    total += bytes.size();
    if (total > kMaxBytes) {
      return too_large(from.string(), kMaxBytes);
    }
    STITCH_ASSIGN(std::string digest, put(bytes));
    files.push_back({at, std::move(digest)});
  }
  return files;
}

Result<void> Artefacts::lay_out(const std::vector<PlacedFile>& files, const fs::path& folder) const {
  uint64_t total = 0;
  for (const PlacedFile& file : files) {
    if (!is_place(file.place)) {
      return failure(ErrorCode::kFileInvalid, "a file of a job has a place that cannot be", file.place);
    }
    STITCH_ASSIGN(const std::string bytes, get(file.digest));
    total += bytes.size();
    if (total > kMaxBytes) {
      return too_large(folder.string(), kMaxBytes);
    }
    STITCH_TRY(write_file(folder / file.place, bytes));
  }
  return {};
}

Result<std::string> artefacts_of(const std::string& store_url, const std::string& given) {
  STITCH_TRY(store::check_store_url(store_url));
  std::string folder = given;
  if (given.empty() && store_url.find("://") == std::string::npos) {
    constexpr std::string_view kSqlite = "sqlite:";
    folder = (store_url.starts_with(kSqlite) ? store_url.substr(kSqlite.size()) : store_url) + ".artefacts";
  }
  if (folder.empty()) {
    return failure(ErrorCode::kUsage, "front end and workers need a folder that they share for files", store_url,
                   "name it with --artefacts DIR, the same everywhere");
  }
  return folder;
}

}  // namespace stitch::farm
