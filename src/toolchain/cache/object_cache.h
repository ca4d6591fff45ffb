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

class ObjectCache {
 public:
  explicit ObjectCache(std::filesystem::path folder) : folder_(std::move(folder)) {}

  // The bytes stored under `key`, nullopt when there are none or they are damaged.
  std::optional<std::string> load(const std::string& key) const;
  Result<void> store(const std::string& key, std::string_view bytes) const;

  // As above for a shared library, which must be a file of its own; answers with its path.
  std::optional<std::filesystem::path> find_library(const std::string& key) const;
  Result<std::filesystem::path> store_library(const std::string& key, std::string_view bytes) const;

  // Removes what was used longest ago until at most `limit_bytes` are left.
  void prune(uint64_t limit_bytes) const;

 private:
  std::filesystem::path path_of(const char* kind, const std::string& key, const char* suffix) const;
  Result<void> write(const std::filesystem::path& path, std::string_view bytes) const;

  std::filesystem::path folder_;
};

}  // namespace stitch::toolchain
