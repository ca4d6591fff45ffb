// SPDX-License-Identifier: Apache-2.0
// What the Redis server does for each operation, whole or not at all.
#pragma once

#include <string>

namespace stitch::store::internal {

// Lua, each with the prelude in front. KEYS[1] is the prefix of all keys, ARGV[1] the time in ms or 0 for the server's.
struct RedisScripts {
  std::string submit;     // id class run content device max_waiting keep_ms -> "new", "known" or "full"
  std::string pull;       // class worker device lease_ms keep_ms -> {id, token, run, content, deliveries} or nothing
  std::string beat;       // id token lease_ms -> 1 or 0
  std::string complete;   // id token result -> 1 or 0
  std::string give_back;  // id token counted(0 or 1) why -> 1 or 0
  std::string ended;      // run max -> {id, state, result, deliveries, id ...}
  std::string drop;       // run id ...
  std::string counts;     // class keep_ms -> {waiting, leased, submitted, done, parked, taken_over}
};

RedisScripts redis_scripts();

}  // namespace stitch::store::internal
