// SPDX-License-Identifier: Apache-2.0
#include "http/client/client.h"

#include <algorithm>
#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
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

bool is_port(const std::string& text) {
  const bool is_number =
      !text.empty() && text.size() <= 5 &&
      std::all_of(text.begin(), text.end(), [](unsigned char digit) { return std::isdigit(digit) != 0; });
  return is_number && std::stoi(text) >= 1 && std::stoi(text) <= 65535;
}

// What happens on the connection, one step after another, all within one limit.
class Conversation {
 public:
  Conversation(const Destination& destination, const Call& call) : destination_(destination), call_(call) {}

  Result<Response> run() {
    asio::ip::tcp::resolver resolver(context_);
    beast::error_code failed;
    const auto found = resolver.resolve(destination_.host, destination_.port, failed);
    if (failed) {
      return broken("find the server", failed);
    }
    stream_.expires_after(call_.patience);
    stream_.async_connect(found, [&](const beast::error_code& error, const auto&) { failed = error; });
    finish();
    if (failed) {
      return broken("connect", failed);
    }
    auto request = written();
    wire::async_write(stream_, request, [&](const beast::error_code& error, size_t) { failed = error; });
    finish();
    if (failed) {
      return broken("send the request", failed);
    }
    return read();
  }

 private:
  void finish() {
    context_.restart();
    context_.run();
  }

  wire::request<wire::string_body> written() const {
    const auto method = wire::string_to_verb(call_.method);
    wire::request<wire::string_body> request{method, destination_.prefix + call_.target, 11};
    request.set(wire::field::host, destination_.host + ":" + destination_.port);
    request.set(wire::field::connection, "close");
    for (const auto& [name, value] : call_.headers) {
      request.set(name, value);
    }
    if (!call_.body.empty()) {
      request.set(wire::field::content_type, "application/json");
      request.body() = call_.body;
    }
    request.prepare_payload();
    return request;
  }

  // The head first: the parser lets a body pass whose stated length is beyond its limit.
  Result<Response> read() {
    beast::error_code failed;
    wire::response_parser<wire::string_body> parser;
    parser.body_limit(call_.max_body_bytes);
    beast::flat_buffer buffer;
    wire::async_read_header(stream_, buffer, parser, [&](const beast::error_code& error, size_t) { failed = error; });
    finish();
    if (!failed && parser.content_length().value_or(0) > call_.max_body_bytes) {
      failed = wire::error::body_limit;
    }
    if (!failed) {
      wire::async_read(stream_, buffer, parser, [&](const beast::error_code& error, size_t) { failed = error; });
      finish();
    }
    return failed ? Result<Response>(broken("read the answer", failed)) : response_of(parser.release());
  }

  static Response response_of(wire::response<wire::string_body> answer) {
    Response response;
    response.status = answer.result_int();
    for (const auto& field : answer) {
      std::string name(field.name_string().data(), field.name_string().size());
      std::transform(name.begin(), name.end(), name.begin(),
                     [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
      response.headers.emplace_back(std::move(name), std::string(field.value().data(), field.value().size()));
    }
    const auto kind = answer.find(wire::field::content_type);
    response.content_type = kind == answer.end() ? "" : std::string(kind->value().data(), kind->value().size());
    response.body = std::move(answer.body());
    return response;
  }

  Unexpected broken(const std::string& what, const beast::error_code& error) const {
    return failure(ErrorCode::kEnvironment, "could not " + what + ": " + error.message(),
                   destination_.host + ":" + destination_.port, "see whether it runs there");
  }

  const Destination& destination_;
  const Call& call_;
  asio::io_context context_;
  beast::tcp_stream stream_{context_};
};

}  // namespace

Result<Destination> read_url(const std::string& url) {
  constexpr std::string_view kScheme = "http://";
  const auto refused = [&] {
    return failure(ErrorCode::kUsage, "'" + url + "' is no address of a server", url,
                   "write http://HOST:PORT; for TLS put a proxy of yours in between");
  };
  if (!url.starts_with(kScheme)) {
    return refused();
  }
  const std::string rest = url.substr(kScheme.size());
  const size_t stroke = std::min(rest.find('/'), rest.size());
  std::string host = rest.substr(0, stroke);
  Destination destination{.host = {}};
  destination.prefix = rest.substr(stroke);
  while (destination.prefix.ends_with('/')) {
    destination.prefix.pop_back();
  }
  const size_t bracket = host.rfind(']');
  const size_t colon = host.rfind(':');
  if (colon != std::string::npos && (bracket == std::string::npos || bracket < colon)) {
    destination.port = host.substr(colon + 1);
    host.resize(colon);
  }
  const bool is_bracketed = host.starts_with('[') && host.ends_with(']');
  destination.host = is_bracketed ? host.substr(1, host.size() - 2) : host;
  const bool is_clean = std::all_of(url.begin(), url.end(), [](unsigned char c) { return c > ' ' && c < 0x7f; });
  if (destination.host.empty() || !is_port(destination.port) || !is_clean) {
    return refused();
  }
  return destination;
}

Result<Response> call(const Destination& destination, const Call& call) {
  auto answer =
      guarded([&] { return Conversation(destination, call).run(); }, ErrorCode::kEnvironment, "the request failed");
  return answer.has_value() ? std::move(answer).value() : Result<Response>(failure(answer.error()));
}

}  // namespace stitch::http
