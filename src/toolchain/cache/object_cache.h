// SPDX-License-Identifier: Apache-2.0
// Compiled things kept under the digest of everything they were made from. An entry carries the digest of its own
// bytes, so that a damaged one is seen and made again; it appears whole or not at all, whoever else writes beside us.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/error/result.h"

namespace stitch::toolchain {

struct CacheKind {
  int files = 0;
  uint64_t bytes = 0;
};
struct CacheContents {
  CacheKind objects;
  CacheKind libraries;
  CacheKind preludes;  // parsed headers
  uint64_t bytes() const { return objects.bytes + libraries.bytes + preludes.bytes; }
};

class ObjectCache {
 public:
  explicit ObjectCache(std::filesystem::path folder) : folder_(std::move(folder)) {}

  // The bytes stored under `key`, nullopt when there are none or they are damaged.
  std::optional<std::string> load(const std::string& key) const;
  Result<void> store(const std::string& key, std::string_view bytes) const;

  // Like load() for a shared library, which must be a file of its own. Returns its path.
  std::optional<std::filesystem::path> find_library(const std::string& key) const;
  Result<std::filesystem::path> store_library(const std::string& key, std::string_view bytes) const;

  // Removes what was used longest ago until at most `limit_bytes` are left, or only what is in use (cache_use.h). Other
  // files in the folder, such as measured times, are not touched; files of turns that nobody has are removed
  // (key_turn.h). Returns what is left.
  CacheContents prune(uint64_t limit_bytes) const;
  CacheContents contents() const;

 private:
  std::filesystem::path path_of(const char* kind, const std::string& key, const char* suffix) const;
  Result<void> write(const std::filesystem::path& path, std::string_view bytes) const;

  std::filesystem::path folder_;
};

}  // namespace stitch::toolchain
