// SPDX-License-Identifier: Apache-2.0
// A connection to a Redis or Valkey server that comes back: what was under way when it broke is asked again.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/error/result.h"

struct redisContext;

namespace stitch::store::internal {

struct RedisPlace {
  std::string host = "127.0.0.1";
  int port = 6379;
  int database = 0;
  std::string password{};  // empty: none
  std::string prefix = "{stitchcuda}:";
  int64_t patience_ms = 30'000;

  std::string name() const;  // for people: no password
};

// An answer: a text, a number as text, a list of such, or nothing.
struct RedisReply {
  bool is_nothing = false;
  std::string text{};
  std::vector<RedisReply> list{};
};

class RedisConnection {
 public:
  explicit RedisConnection(RedisPlace place) : place_(std::move(place)) {}

  const RedisPlace& place() const { return place_; }
  // kEnvironment when the server did not answer for patience_ms, or refuses.
  Result<RedisReply> run_script(const std::string& script, const std::vector<std::string>& arguments);
  Result<RedisReply> ask(const std::vector<std::string>& words);
  // Listens on `channel` from the first call on, which returns at once; later ones when something was told there since,
  // after that long, or when the connection broke. Such a connection cannot ask.
  Result<void> listen(const std::string& channel, int64_t timeout_ms);

 private:
  struct Free {
    void operator()(redisContext* context) const;
  };
  // An Error only where the server answers and refuses us; else whether there is a connection.
  Result<bool> connect();
  Result<RedisReply> ask_once(const std::vector<std::string>& words, bool& is_broken);

  RedisPlace place_;
  std::unique_ptr<redisContext, Free> context_;
  std::string why_broken_;
  std::string channel_;
  std::map<const std::string*, std::string> digests_;  // of scripts, as the server knows them
};

}  // namespace stitch::store::internal
