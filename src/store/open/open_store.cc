// SPDX-License-Identifier: Apache-2.0
#include "store/open/open_store.h"

#include <fmt/format.h>

#include <string_view>

#include "base/fs/files.h"
#include "store/open/redis_url.h"
#include "store/redis/redis_store.h"
#include "store/sqlite/sqlite_store.h"

namespace stitch::store {
namespace {

constexpr std::string_view kSqlite = "sqlite:";

bool is_redis(std::string_view url) { return url.starts_with(kRedisScheme) || url.starts_with(kValkeyScheme); }

Result<std::string> sqlite_file(const std::string& url) {
  const std::string file = url.starts_with(kSqlite) ? url.substr(kSqlite.size()) : url;
  if (file.empty() || file.find("://") != std::string::npos) {
    return failure(ErrorCode::kUsage, fmt::format("'{}' names no store of jobs", url), "",
                   "say sqlite:FILE or redis://HOST:PORT");
  }
  return file;
}

}  // namespace

Result<void> check_store_url(const std::string& url) {
  if (is_redis(url)) {
    STITCH_TRY(read_redis_url(url));
  } else {
    STITCH_TRY(sqlite_file(url));
  }
  return {};
}

Result<std::unique_ptr<Store>> open_store(const std::string& url, const StoreOptions& options) {
  if (!is_redis(url)) {
    STITCH_ASSIGN(const std::string file, sqlite_file(url));
    return open_sqlite_store(file, options);
  }
  STITCH_ASSIGN(RedisUrl named, read_redis_url(url));
  if (!named.password_file.empty()) {
    STITCH_ASSIGN(std::string password, read_file(named.password_file));
    password.resize(password.find_last_not_of(" \r\n") + 1);
    named.place.password = std::move(password);
  }
  return open_redis_store(std::move(named.place), options);
}

}  // namespace stitch::store
