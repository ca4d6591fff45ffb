// SPDX-License-Identifier: Apache-2.0
#include "toolchain/cache/cache_use.h"

#include <chrono>
#include <string>
#include <utility>

#include "base/fs/files.h"
#include "base/process/identity.h"

namespace stitch::toolchain {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFolder = "users";
// Of processes that we cannot see (another container's) a file this old counts no more.
constexpr auto kMaxRunTime = std::chrono::hours(24);

}  // namespace

CacheUse::CacheUse(const fs::path& cache) : file_(cache / kFolder / own_name_part()) {
  const Result<void> ignored = write_file(file_, "");
  static_cast<void>(ignored);
}

CacheUse::CacheUse(CacheUse&& other) noexcept : file_(std::exchange(other.file_, {})) {}

CacheUse& CacheUse::operator=(CacheUse&& other) noexcept {
  std::swap(file_, other.file_);
  return *this;
}

CacheUse::~CacheUse() {
  std::error_code ignored;
  if (!file_.empty()) {
    fs::remove(file_, ignored);
  }
}

CacheUsers users_of(const fs::path& cache) {
  CacheUsers users;
  std::error_code error;
  for (fs::directory_iterator entry(cache / kFolder, error), end; !error && entry != end; entry.increment(error)) {
    std::error_code ignored;
    const fs::file_time_type began = entry->last_write_time(ignored);
    const bool is_old = fs::file_time_type::clock::now() - began > kMaxRunTime;
    const std::string name = entry->path().filename().string();
    if (is_name_part_of_gone(name) || (name != own_name_part() && is_old)) {
      fs::remove(entry->path(), ignored);
    } else {
      ++users.count;
      users.since = std::min(users.since, began);
    }
  }
  return users;
}

}  // namespace stitch::toolchain
