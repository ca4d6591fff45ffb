// SPDX-License-Identifier: Apache-2.0
// The address of a Redis or Valkey server, read strictly.
#pragma once

#include <string>
#include <string_view>

#include "store/redis/connection.h"

namespace stitch::store {

inline constexpr std::string_view kRedisScheme = "redis://";
inline constexpr std::string_view kValkeyScheme = "valkey://";

struct RedisUrl {
  internal::RedisPlace place;
  std::string password_file{};
};

Result<RedisUrl> read_redis_url(const std::string& url);

}  // namespace stitch::store
