// SPDX-License-Identifier: Apache-2.0
// The store on a Redis (7 or older) or Valkey server: sorted sets, changed by scripts that run on the server.
#pragma once

#include <memory>

#include "store/interface/store.h"
#include "store/redis/connection.h"

namespace stitch::store {

// kEnvironment where the server does not answer within the options' patience.
Result<std::unique_ptr<Store>> open_redis_store(internal::RedisPlace place, const StoreOptions& options);

}  // namespace stitch::store
