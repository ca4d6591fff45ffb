// SPDX-License-Identifier: Apache-2.0
// Records who uses a cache now: what a run has touched since it began is not pruned while it lasts.
#pragma once

#include <filesystem>

namespace stitch::toolchain {

// Holds a file in the cache that marks this process as a user while this lives. A read-only cache is used without.
class CacheUse {
 public:
  explicit CacheUse(const std::filesystem::path& cache);
  CacheUse(CacheUse&& other) noexcept;
  CacheUse& operator=(CacheUse&& other) noexcept;
  ~CacheUse();

 private:
  std::filesystem::path file_;
};

struct CacheUsers {
  int count = 0;
  // When the first of them began; the end of time where there is none.
  std::filesystem::file_time_type since = std::filesystem::file_time_type::max();
};
// The users that still run. Removes the files of processes that have ended.
CacheUsers users_of(const std::filesystem::path& cache);

}  // namespace stitch::toolchain
