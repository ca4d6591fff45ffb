// SPDX-License-Identifier: Apache-2.0
#include "store/testing/redis_server.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <sys/socket.h>

#include <utility>

#include "base/process/descriptor.h"
#include "store/redis/redis_store.h"

namespace stitch::store::testing {
namespace {

// Free at this moment; whoever takes it before the server does makes the start fail.
int free_port() {
  const Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  if (::bind(socket.get(), reinterpret_cast<sockaddr*>(&address), length) != 0 ||
      ::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&address), &length) != 0) {
    return 0;
  }
  return ntohs(address.sin_port);
}

}  // namespace

std::filesystem::path find_redis_server() {
  for (const char* name : {"redis-server", "valkey-server", "redis-check-rdb"}) {
    if (const std::filesystem::path found = find_program(name); !found.empty()) {
      return found;
    }
  }
  return {};
}

Result<RedisServer> RedisServer::start() {
  STITCH_ASSIGN(TemporaryDirectory folder, TemporaryDirectory::make("stitchcuda-redis"));
  RedisServer server(std::move(folder), free_port());
  STITCH_TRY(server.start_again());
  return server;
}

std::string RedisServer::url() const { return fmt::format("redis://127.0.0.1:{}", port_); }

void RedisServer::kill() {
  if (child_ != nullptr) {
    child_->kill_tree();
    child_->wait(-1);
    child_.reset();
  }
}

Result<void> RedisServer::start_again() {
  kill();
  const std::filesystem::path link = folder_.path() / "redis-server";
  std::error_code ignored;
  std::filesystem::create_symlink(find_redis_server(), link, ignored);
  ChildOptions options;
  // What was answered is on the disk: with `everysec` the last second may not be, even where only the process is
  // killed.
  options.arguments = {link.string(), "--port", std::to_string(port_), "--bind", "127.0.0.1"};
  const std::string folder = folder_.path().string();
  for (const auto& [name, value] : {std::pair<const char*, std::string>{"--dir", folder},
                                    {"--appendonly", "yes"},
                                    {"--appendfsync", "always"},
                                    {"--save", ""},
                                    {"--logfile", folder + "/log"}}) {
    options.arguments.insert(options.arguments.end(), {name, value});
  }
  options.capture_output = false;
  STITCH_ASSIGN(Child child, Child::start(options));
  child_ = std::make_unique<Child>(std::move(child));
  internal::RedisConnection connection({.port = port_, .patience_ms = 20'000});
  STITCH_TRY(connection.ask({"PING"}));
  return {};
}

}  // namespace stitch::store::testing
