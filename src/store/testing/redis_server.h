// SPDX-License-Identifier: Apache-2.0
// A Redis server of a test's own: on loopback, with an append-only file, gone with its value.
#pragma once

#include <csignal>
#include <filesystem>
#include <memory>
#include <string>

#include "base/fs/files.h"
#include "base/process/child.h"

namespace stitch::store::testing {

// Empty where there is none here. Debian's redis-tools has the server under the name of its checker, which looks at the
// name that it is called by: a link brings it without the service that redis-server installs.
std::filesystem::path find_redis_server();

class RedisServer {
 public:
  // A free port, and a folder that outlives a restart.
  static Result<RedisServer> start();

  std::string url() const;
  int port() const { return port_; }
  const std::filesystem::path& folder() const { return folder_.path(); }
  // kill -9.
  void kill();
  // On the same port and file.
  Result<void> start_again();

 private:
  RedisServer(TemporaryDirectory folder, int port) : folder_(std::move(folder)), port_(port) {}
  TemporaryDirectory folder_;
  int port_ = 0;
  std::unique_ptr<Child> child_;
};

inline constexpr const char* kNoRedis = "no redis-server here: 'tools/setup --tests' brings it (Debian's redis-tools)";

}  // namespace stitch::store::testing
