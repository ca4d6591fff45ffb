// SPDX-License-Identifier: Apache-2.0
#include "toolchain/cache/object_cache.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <utility>
#include <vector>

#include "base/fs/files.h"
#include "base/hash/sha256.h"
#include "toolchain/cache/cache_use.h"
#include "toolchain/cache/key_turn.h"

namespace stitch::toolchain {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMark = "stitchcuda.object/1 ";
constexpr size_t kDigestDigits = 64;

// Time of last use is only ever used to decide what to throw away.
void mark_used(const fs::path& path) {
  std::error_code ignored;
  fs::last_write_time(path, fs::file_time_type::clock::now(), ignored);
}

struct Entry {
  fs::file_time_type used;
  uint64_t bytes;
  fs::path path;
  CacheKind* kind;
};

void list_entries(const fs::path& folder, CacheKind* kind, std::vector<Entry>* entries) {
  std::error_code error;
  for (fs::recursive_directory_iterator found(folder, error), end; !error && found != end; found.increment(error)) {
    std::error_code gone;  // another run may remove it at the same time
    if (found->is_regular_file(gone)) {
      const Entry entry{found->last_write_time(gone), found->file_size(gone), found->path(), kind};
      if (!gone) {
        entries->push_back(entry);
        ++kind->files;
        kind->bytes += entry.bytes;
      }
    }
  }
}

}  // namespace

fs::path ObjectCache::path_of(const char* kind, const std::string& key, const char* suffix) const {
  return folder_ / kind / key.substr(0, 2) / (key + suffix);
}

Result<void> ObjectCache::write(const fs::path& path, std::string_view bytes) const {
  // A name of its own for every write: builds in other threads and processes may store the same key.
  static std::atomic<uint64_t> count{0};
  const fs::path aside = folder_ / "aside" / fmt::format("{}-{}", ::getpid(), count.fetch_add(1));
  STITCH_TRY(write_file(aside, bytes));
  STITCH_TRY(make_directories(path.parent_path()));
  std::error_code error;
  fs::rename(aside, path, error);
  if (error) {
    fs::remove(aside, error);
    return failure(ErrorCode::kEnvironment, fmt::format("cannot write {} into the build cache", path.string()),
                   folder_.string(), "set STITCHCUDA_CACHE to a folder you may write to");
  }
  return {};
}

std::optional<std::string> ObjectCache::load(const std::string& key) const {
  const fs::path path = path_of("objects", key, ".o");
  const Result<std::string> text = read_file(path);
  const size_t header = kMark.size() + kDigestDigits + 1;
  if (!text.has_value()) {
    return std::nullopt;
  }
  if (text->size() < header || text->compare(0, kMark.size(), kMark) != 0) {
    return std::nullopt;
  }
  std::string bytes = text->substr(header);
  if (text->substr(kMark.size(), kDigestDigits) != sha256_hex(bytes)) {
    return std::nullopt;
  }
  mark_used(path);
  return bytes;
}

Result<void> ObjectCache::store(const std::string& key, std::string_view bytes) const {
  std::string entry(kMark);
  entry += sha256_hex(bytes);
  entry += '\n';
  entry += bytes;
  return write(path_of("objects", key, ".o"), entry);
}

std::optional<fs::path> ObjectCache::find_library(const std::string& key) const {
  const fs::path path = path_of("libraries", key, ".so");
  const Result<std::string> bytes = read_file(path);
  const Result<std::string> digest = read_file(path_of("libraries", key, ".sha256"));
  if (!bytes.has_value() || !digest.has_value() || *digest != sha256_hex(*bytes)) {
    return std::nullopt;
  }
  mark_used(path);
  return path;
}

Result<fs::path> ObjectCache::store_library(const std::string& key, std::string_view bytes) const {
  const fs::path path = path_of("libraries", key, ".so");
  STITCH_TRY(write(path, bytes));
  STITCH_TRY(write(path_of("libraries", key, ".sha256"), sha256_hex(bytes)));
  return path;
}

CacheContents ObjectCache::contents() const { return prune(std::numeric_limits<uint64_t>::max()); }

CacheContents ObjectCache::prune(uint64_t limit_bytes) const {
  CacheContents left;
  std::vector<Entry> entries;
  remove_abandoned_turns(folder_);
  for (const auto& [name, kind] : {std::pair("objects", &left.objects), std::pair("libraries", &left.libraries),
                                   std::pair("preludes", &left.preludes), std::pair("aside", &left.objects)}) {
    list_entries(folder_ / name, kind, &entries);
  }
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.used < b.used; });
  const fs::file_time_type in_use_since = users_of(folder_).since;
  for (const Entry& entry : entries) {
    if (left.bytes() <= limit_bytes || entry.used >= in_use_since) {
      break;
    }
    std::error_code ignored;
    if (fs::remove(entry.path, ignored)) {
      --entry.kind->files;
      entry.kind->bytes -= entry.bytes;
    }
  }
  return left;
}

}  // namespace stitch::toolchain
