// SPDX-License-Identifier: Apache-2.0
#include "mcp/http/serve_http.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>

#include "base/process/descriptor.h"
#include "mcp/http/connection.h"

namespace stitch::mcp {
namespace {

constexpr int kMaxConnections = 64;

sockaddr_in loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

Result<Descriptor> listen_on(int port) {
  Descriptor listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int yes = 1;
  ::setsockopt(listener.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  const sockaddr_in address = loopback(port);
  if (!listener.is_open() || ::bind(listener.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(listener.get(), SOMAXCONN) != 0) {
    return failure(ErrorCode::kEnvironment,
                   fmt::format("cannot listen on port {} of 127.0.0.1: {}", port, std::strerror(errno)), "",
                   "name another port with --http, or 0 for any");
  }
  return listener;
}

int port_of(int listener) {
  sockaddr_in address{};
  socklen_t size = sizeof address;
  ::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size);
  return ntohs(address.sin_port);
}

}  // namespace

Result<void> serve_http(Server& server, const HttpOptions& options, const std::function<void(int port)>& listening,
                        const Stop& stop) {
  STITCH_ASSIGN(const Descriptor listener, listen_on(options.port));
  Sessions sessions(server);
  std::atomic<int> connections = 0;
  Crew crew;
  listening(port_of(listener.get()));
  while (!stop.is_wished()) {
    std::array<pollfd, 2> polled = {pollfd{.fd = listener.get(), .events = POLLIN, .revents = 0},
                                    pollfd{.fd = stop.descriptor(), .events = POLLIN, .revents = 0}};
    constexpr int kLookMs = 1000;
    ::poll(polled.data(), polled.size(), kLookMs);
    const int socket = polled[0].revents != 0 ? ::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC) : -1;
    if (socket >= 0 && connections >= kMaxConnections) {
      ::close(socket);
    } else if (socket >= 0) {
      ++connections;
      crew.start([&, socket] {
        serve_connection(socket, sessions, options.token, stop);
        --connections;
      });
    }
  }
  sessions.end_all();
  return {};
}

}  // namespace stitch::mcp
