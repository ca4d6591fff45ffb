// SPDX-License-Identifier: Apache-2.0
#include "http/server/serve.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstring>

#include "base/parallel/crew.h"
#include "base/process/descriptor.h"
#include "http/connection/connection.h"

namespace stitch::http {
namespace {

Result<Descriptor> listen_on(const ServeOptions& options) {
  Descriptor listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int yes = 1;
  ::setsockopt(listener.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(options.port));
  if (::inet_pton(AF_INET, options.address.c_str(), &address.sin_addr) != 1) {
    return failure(ErrorCode::kUsage, fmt::format("'{}' is no address in figures", options.address), "",
                   options.remedy);
  }
  if (!listener.is_open() || ::bind(listener.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(listener.get(), SOMAXCONN) != 0) {
    return failure(
        ErrorCode::kEnvironment,
        fmt::format("cannot listen on port {} of {}: {}", options.port, options.address, std::strerror(errno)), "",
        options.remedy);
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

Result<ServeOptions> read_address(const std::string& text, const std::string& remedy) {
  ServeOptions options;
  options.remedy = remedy;
  const size_t colon = text.rfind(':');
  const std::string port = colon == std::string::npos ? text : text.substr(colon + 1);
  options.address = colon == std::string::npos ? options.address : text.substr(0, colon);
  uint16_t number = 0;
  const auto [stop, error] = std::from_chars(port.data(), port.data() + port.size(), number);
  in_addr parsed{};
  if (error != std::errc() || stop != port.data() + port.size() ||
      ::inet_pton(AF_INET, options.address.c_str(), &parsed) != 1) {
    return failure(ErrorCode::kUsage, fmt::format("'{}' is no port to listen on", text), "", remedy);
  }
  options.port = number;
  return options;
}

Result<void> serve(const ServeOptions& options, const Handler& handler, const std::function<void(int port)>& listening,
                   const Stop& stop) {
  STITCH_ASSIGN(const Descriptor listener, listen_on(options));
  std::atomic<int> connections = 0;
  Crew crew;
  listening(port_of(listener.get()));
  while (!stop.is_wished()) {
    std::array<pollfd, 2> polled = {pollfd{.fd = listener.get(), .events = POLLIN, .revents = 0},
                                    pollfd{.fd = stop.descriptor(), .events = POLLIN, .revents = 0}};
    constexpr int kLookMs = 1000;
    ::poll(polled.data(), polled.size(), kLookMs);
    const int socket = polled[0].revents != 0 ? ::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC) : -1;
    if (socket >= 0 && connections >= options.max_connections) {
      ::close(socket);
    } else if (socket >= 0) {
      ++connections;
      crew.start([&, socket] {
        serve_connection(socket, handler, options.limits, stop);
        --connections;
      });
    }
  }
  return {};
}

}  // namespace stitch::http
