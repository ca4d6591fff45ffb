// SPDX-License-Identifier: Apache-2.0
#include "farm/metrics/metrics_server.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <charconv>
#include <cstring>

namespace stitch::farm {
namespace {

constexpr timeval kClientPatience{2, 0};
constexpr size_t kMaxRequest = 8192;

Result<sockaddr_in> address_of(const std::string& text) {
  const size_t colon = text.rfind(':');
  const std::string host = colon == std::string::npos ? "127.0.0.1" : text.substr(0, colon);
  const std::string port = colon == std::string::npos ? text : text.substr(colon + 1);
  uint16_t number = 0;
  const auto [stop, error] = std::from_chars(port.data(), port.data() + port.size(), number);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(number);
  if (error != std::errc() || stop != port.data() + port.size() ||
      ::inet_pton(AF_INET, host.c_str(), &address.sin_addr) != 1) {
    return failure(ErrorCode::kUsage, fmt::format("'{}' is no port to listen on", text), "",
                   "say --metrics 9400, or --metrics 0.0.0.0:9400 where others may ask");
  }
  return address;
}

std::string response(const char* status, const std::string& body) {
  return fmt::format(
      "HTTP/1.1 {}\r\nContent-Type: text/plain; version=0.0.4\r\nContent-Length: {}\r\nConnection: "
      "close\r\n\r\n{}",
      status, body.size(), body);
}

}  // namespace

Result<std::unique_ptr<MetricsServer>> MetricsServer::start(const std::string& address,
                                                            std::function<std::string()> text) {
  STITCH_ASSIGN(sockaddr_in bound, address_of(address));
  Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int yes = 1;
  ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  socklen_t length = sizeof bound;
  constexpr int kBacklog = 8;
  if (::bind(socket.get(), reinterpret_cast<sockaddr*>(&bound), length) != 0 || ::listen(socket.get(), kBacklog) != 0 ||
      ::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&bound), &length) != 0) {
    return failure(ErrorCode::kEnvironment,
                   fmt::format("nobody can be told metrics at {}: {}", address, std::strerror(errno)), "",
                   "name a port that is free");
  }
  return std::unique_ptr<MetricsServer>(new MetricsServer(std::move(socket), ntohs(bound.sin_port), std::move(text)));
}

MetricsServer::MetricsServer(Descriptor socket, int port, std::function<std::string()> text)
    : socket_(std::move(socket)), port_(port), text_(std::move(text)), thread_([this] { serve(); }) {}

MetricsServer::~MetricsServer() {
  stop_.wish();
  thread_.join();
}

void MetricsServer::serve() {
  while (!stop_.is_wished()) {
    std::array<pollfd, 2> ready = {pollfd{socket_.get(), POLLIN, 0}, pollfd{stop_.descriptor(), POLLIN, 0}};
    constexpr int kLookMs = 1000;
    ::poll(ready.data(), ready.size(), kLookMs);
    if ((ready[0].revents & POLLIN) != 0) {
      const Descriptor client(::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC));
      if (client.is_open()) {
        answer(client);
      }
    }
  }
}

void MetricsServer::answer(const Descriptor& client) {
  ::setsockopt(client.get(), SOL_SOCKET, SO_RCVTIMEO, &kClientPatience, sizeof kClientPatience);
  ::setsockopt(client.get(), SOL_SOCKET, SO_SNDTIMEO, &kClientPatience, sizeof kClientPatience);
  std::string request;
  std::array<char, 1024> bytes;
  while (request.find("\r\n\r\n") == std::string::npos && request.size() < kMaxRequest) {
    const ssize_t size = ::recv(client.get(), bytes.data(), bytes.size(), 0);
    if (size <= 0) {
      return;
    }
    request.append(bytes.data(), static_cast<size_t>(size));
  }
  const bool is_metrics = request.starts_with("GET /metrics ");
  const bool is_health = request.starts_with("GET /healthz ");
  const std::string answer = is_metrics  ? response("200 OK", text_())
                             : is_health ? response("200 OK", "ok\n")
                                         : response("404 Not Found", "there are /metrics and /healthz\n");
  for (std::string_view left = answer; !left.empty();) {
    const ssize_t size = ::send(client.get(), left.data(), left.size(), MSG_NOSIGNAL);
    if (size <= 0) {
      return;
    }
    left.remove_prefix(static_cast<size_t>(size));
  }
}

}  // namespace stitch::farm
