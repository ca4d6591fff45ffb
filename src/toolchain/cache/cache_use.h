// SPDX-License-Identifier: Apache-2.0
// Who uses a cache now: what a run has touched since it began is not thrown away while it lasts.
#pragma once

#include <filesystem>

namespace stitch::toolchain {

// A file in the cache that says so, as long as this lives. A cache that cannot be written to is used all the same.
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
// Those that still run. Files of processes that are gone are removed.
CacheUsers users_of(const std::filesystem::path& cache);

}  // namespace stitch::toolchain
