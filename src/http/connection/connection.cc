// SPDX-License-Identifier: Apache-2.0
#include "http/connection/connection.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
#include <cctype>

#include "base/guard/guarded.h"

namespace stitch::http {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace wire = boost::beast::http;

constexpr uint32_t kMaxHeaderBytes = 16u << 10;
constexpr std::chrono::seconds kReadTime{60};  // for a whole request, and between two
constexpr std::chrono::seconds kWriteTime{30};

std::string text_of(beast::string_view view) { return std::string(view.data(), view.size()); }

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  return text;
}

Request request_of(wire::request<wire::string_body> read) {
  Request request;
  request.method = text_of(read.method_string());
  read_target(text_of(read.target()), request);
  for (const auto& field : read) {
    request.headers[lower_case(text_of(field.name_string()))] = text_of(field.value());
  }
  request.is_http_1_0 = read.version() < 11;
  request.keeps_alive = read.keep_alive();
  request.body = std::move(read.body());
  return request;
}

class Connection final : public Exchange {
 public:
  Connection(int socket, const Handler& handler, const ConnectionLimits& limits, const Stop& stop)
      : stream_(context_), handler_(handler), limits_(limits), stop_(stop) {
    stream_.socket().assign(asio::ip::tcp::v4(), socket);
  }

  void run();

  const Request& request() const override { return request_; }
  const Stop& stop() const override { return stop_; }
  bool is_client_gone() const override;
  void answer(const Response& response) override;
  bool begin_stream(const Response& head) override;
  bool send(const std::string& text) override;
  void end_stream() override;

 private:
  // False when it is over.
  bool read();
  template <typename Begin>
  bool finish(std::chrono::seconds patience, Begin&& begin);

  asio::io_context context_;
  mutable beast::tcp_stream stream_;
  beast::flat_buffer buffer_;
  const Handler& handler_;
  const ConnectionLimits limits_;
  const Stop& stop_;
  Request request_;
  bool is_good_ = true;  // what was written reached the client so far
};

// Begins something asynchronous and waits for its end: only so has it a time limit.
template <typename Begin>
bool Connection::finish(std::chrono::seconds patience, Begin&& begin) {
  bool is_good = false;
  stream_.expires_after(patience);
  begin([&](const beast::error_code& error, size_t) { is_good = !error; });
  context_.restart();
  while (!context_.stopped() && !stop_.is_wished()) {
    context_.run_for(std::chrono::milliseconds(100));
  }
  if (!context_.stopped()) {
    stream_.cancel();
    context_.run();
    return false;
  }
  return is_good;
}

bool Connection::read() {
  wire::request_parser<wire::string_body> parser;
  parser.body_limit(limits_.max_body_bytes);
  parser.header_limit(kMaxHeaderBytes);
  beast::error_code failed;
  const bool is_good = finish(kReadTime, [&](auto done) {
    wire::async_read(stream_, buffer_, parser, [&failed, done](const beast::error_code& error, size_t size) {
      failed = error;
      done(error, size);
    });
  });
  request_ = Request{.method = {}, .path = {}, .keeps_alive = false};
  if (failed == wire::error::body_limit || failed == wire::error::header_limit) {
    answer(refusal(413, "the request is too long"));
  } else if (failed.category() == wire::make_error_code(wire::error::end_of_stream).category() &&
             failed != wire::error::end_of_stream && failed != wire::error::partial_message) {
    answer(refusal(400, "this is no HTTP request"));
  }
  request_ = request_of(parser.release());
  return is_good;
}

bool Connection::is_client_gone() const {
  pollfd polled{.fd = stream_.socket().native_handle(), .events = POLLRDHUP, .revents = 0};
  return !is_good_ || (::poll(&polled, 1, 0) > 0 && (polled.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0);
}

void Connection::answer(const Response& response) {
  wire::response<wire::string_body> written{static_cast<wire::status>(response.status), 11};
  for (const auto& [name, value] : response.headers) {
    written.set(name, value);
  }
  written.body() = response.body;
  if (!response.body.empty()) {
    written.set(wire::field::content_type, response.content_type);
  }
  written.keep_alive(request_.keeps_alive);
  written.prepare_payload();
  is_good_ = finish(kWriteTime, [&](auto done) { wire::async_write(stream_, written, done); });
}

bool Connection::begin_stream(const Response& head) {
  wire::response<wire::empty_body> written{static_cast<wire::status>(head.status), 11};
  for (const auto& [name, value] : head.headers) {
    written.set(name, value);
  }
  written.set(wire::field::content_type, head.content_type);
  written.keep_alive(request_.keeps_alive);
  written.chunked(true);
  wire::response_serializer<wire::empty_body> serializer(written);
  is_good_ = finish(kWriteTime, [&](auto done) { wire::async_write_header(stream_, serializer, done); });
  return is_good_;
}

bool Connection::send(const std::string& text) {
  is_good_ = is_good_ && finish(kWriteTime, [&](auto done) {
               asio::async_write(stream_, wire::make_chunk(asio::buffer(text)), done);
             });
  return is_good_;
}

void Connection::end_stream() {
  is_good_ =
      is_good_ && finish(kWriteTime, [&](auto done) { asio::async_write(stream_, wire::make_chunk_last(), done); });
}

void Connection::run() {
  while (!stop_.is_wished() && read()) {
    handler_(*this);
    if (!is_good_ || !request_.keeps_alive) {
      break;
    }
  }
  beast::error_code ignored;
  stream_.socket().shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
}

}  // namespace

void serve_connection(int socket, const Handler& handler, const ConnectionLimits& limits, const Stop& stop) {
  // Nothing that a client sends may end more than its own connection.
  const Result<void> served =
      guarded([&] { Connection(socket, handler, limits, stop).run(); }, ErrorCode::kEnvironment, "a connection");
  static_cast<void>(served.has_value());
}

}  // namespace stitch::http
