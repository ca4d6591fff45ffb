// SPDX-License-Identifier: Apache-2.0
#include "mcp/http/connection.h"

#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>

#include "base/guard/guarded.h"
#include "mcp/http/access.h"
#include "mcp/http/queue_outlet.h"

namespace stitch::mcp {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;

constexpr uint64_t kMaxBodyBytes = 4u << 20;
constexpr uint32_t kMaxHeaderBytes = 16u << 10;
constexpr std::chrono::seconds kReadTime{60};  // for a whole request, and between two
constexpr std::chrono::seconds kWriteTime{30};
constexpr std::chrono::seconds kBetweenSigns{5};  // of life, on a stream that has nothing to say
constexpr const char* kSessionHeader = "Mcp-Session-Id";
constexpr const char* kVersionHeader = "MCP-Protocol-Version";
constexpr const char* kPath = "/mcp";

using Request = http::request<http::string_body>;

std::string text_of(beast::string_view view) { return std::string(view.data(), view.size()); }

class Connection {
 public:
  Connection(int socket, Sessions& sessions, const std::string& token, const Stop& stop)
      : stream_(context_), sessions_(sessions), token_(token), stop_(stop) {
    stream_.socket().assign(asio::ip::tcp::v4(), socket);
  }

  void run();

 private:
  struct Refusal {
    http::status status = http::status::ok;
    std::string sentence;
  };

  // False when it is over.
  bool read(Request& request);
  bool answer(const Request& request);
  std::optional<Refusal> refusal_of(const Request& request) const;
  bool answer_post(const Request& request);
  bool answer_delete(const Request& request);
  bool answer_with_json(AnswerQueue& queue, const std::string& new_id, bool keep_alive);
  bool answer_with_events(AnswerQueue& queue, const Request& request);
  bool refuse(const Refusal& refusal, bool keep_alive);
  bool write(http::response<http::string_body> response, bool keep_alive);
  template <typename Begin>
  bool finish(std::chrono::seconds patience, Begin&& begin);

  asio::io_context context_;
  beast::tcp_stream stream_;
  beast::flat_buffer buffer_;
  Sessions& sessions_;
  const std::string& token_;
  const Stop& stop_;
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

bool Connection::read(Request& request) {
  http::request_parser<http::string_body> parser;
  parser.body_limit(kMaxBodyBytes);
  parser.header_limit(kMaxHeaderBytes);
  beast::error_code failed;
  const bool is_good = finish(kReadTime, [&](auto done) {
    http::async_read(stream_, buffer_, parser, [&failed, done](const beast::error_code& error, size_t size) {
      failed = error;
      done(error, size);
    });
  });
  if (failed == http::error::body_limit || failed == http::error::header_limit) {
    refuse({http::status::payload_too_large, "the request is too long"}, false);
  } else if (failed.category() == http::make_error_code(http::error::end_of_stream).category() &&
             failed != http::error::end_of_stream && failed != http::error::partial_message) {
    refuse({http::status::bad_request, "this is no HTTP request"}, false);
  }
  request = parser.release();
  return is_good;
}

// Before anything of the body is looked at.
std::optional<Connection::Refusal> Connection::refusal_of(const Request& request) const {
  if (!is_local_host(text_of(request[http::field::host])) ||
      !is_allowed_origin(text_of(request[http::field::origin]))) {
    return Refusal{http::status::forbidden, "only programs and pages of this machine may ask"};
  }
  if (!is_authorized(text_of(request[http::field::authorization]), token_)) {
    return Refusal{http::status::unauthorized, "send the token: Authorization: Bearer TOKEN"};
  }
  if (text_of(request.target()) != kPath) {
    return Refusal{http::status::not_found, "the protocol is spoken at /mcp"};
  }
  const std::string version = text_of(request[kVersionHeader]);
  if (!version.empty() && !is_spoken(version)) {
    return Refusal{http::status::bad_request, "the protocol " + version.substr(0, 40) + " is not spoken here"};
  }
  return std::nullopt;
}

bool Connection::answer(const Request& request) {
  if (const std::optional<Refusal> refusal = refusal_of(request)) {
    return refuse(*refusal, request.keep_alive());
  }
  switch (request.method()) {
    case http::verb::post:
      return answer_post(request);
    case http::verb::delete_:
      return answer_delete(request);
    default:
      return refuse({http::status::method_not_allowed, "send messages by POST, end a session by DELETE"},
                    request.keep_alive());
  }
}

bool is_initialize(const Json& json) { return json.is_object() && json.value("method", Json()) == "initialize"; }

bool asks_for_call(const Json& json) { return json.is_object() && json.value("method", Json()) == "tools/call"; }

bool Connection::answer_post(const Request& request) {
  if (!text_of(request[http::field::content_type]).starts_with("application/json")) {
    return refuse({http::status::unsupported_media_type, "messages are application/json"}, request.keep_alive());
  }
  const std::variant<Json, Malformed> parsed = parse_text(request.body());
  if (const auto* malformed = std::get_if<Malformed>(&parsed); malformed != nullptr) {
    http::response<http::string_body> response{http::status::bad_request, request.version()};
    response.body() = line_of(error_response(Json(), RpcError::kParse, malformed->why));
    return write(std::move(response), request.keep_alive());
  }
  const Json& json = std::get<Json>(parsed);
  const std::string id = text_of(request[kSessionHeader]);
  std::string new_id;
  std::shared_ptr<Session> session;
  if (id.empty() && is_initialize(json)) {
    std::tie(new_id, session) = sessions_.begin();
  } else if (id.empty()) {
    return refuse({http::status::bad_request, "begin with initialize, then send its Mcp-Session-Id"},
                  request.keep_alive());
  } else if ((session = sessions_.find(id)) == nullptr) {
    return refuse({http::status::not_found, "there is no such session: begin with initialize"}, request.keep_alive());
  }
  const auto queue = std::make_shared<AnswerQueue>();
  session->take(json, std::make_shared<QueueOutlet>(queue));
  const bool wants_events = text_of(request[http::field::accept]).find("text/event-stream") != std::string::npos;
  return asks_for_call(json) && wants_events && request.version() >= 11
             ? answer_with_events(*queue, request)
             : answer_with_json(*queue, new_id, request.keep_alive());
}

// One object, or an array where several were asked for; nothing to say is 202.
bool Connection::answer_with_json(AnswerQueue& queue, const std::string& new_id, bool keep_alive) {
  http::response<http::string_body> response{http::status::accepted, 11};
  while (!stop_.is_wished()) {
    const AnswerQueue::Taken taken = queue.take(std::chrono::milliseconds(200));
    if (taken.is_closed) {
      break;
    }
    if (taken.message.has_value() && !taken.message->contains("method")) {
      response.result(http::status::ok);
      response.body() = line_of(*taken.message);
    }
  }
  if (!new_id.empty()) {
    response.set(kSessionHeader, new_id);
  }
  return write(std::move(response), keep_alive);
}

bool Connection::answer_with_events(AnswerQueue& queue, const Request& request) {
  http::response<http::empty_body> response{http::status::ok, 11};
  response.set(http::field::content_type, "text/event-stream");
  response.set(http::field::cache_control, "no-cache");
  response.keep_alive(request.keep_alive());
  response.chunked(true);
  http::response_serializer<http::empty_body> serializer(response);
  bool is_good = finish(kWriteTime, [&](auto done) { http::async_write_header(stream_, serializer, done); });
  Clock::time_point last_sign = Clock::now();
  while (is_good && !stop_.is_wished()) {
    const AnswerQueue::Taken taken = queue.take(std::chrono::milliseconds(200));
    if (taken.is_closed) {
      break;
    }
    const bool is_quiet = !taken.message.has_value();
    if (is_quiet && Clock::now() - last_sign < kBetweenSigns) {
      continue;
    }
    last_sign = Clock::now();
    const std::string event =
        is_quiet ? ": still under way\n\n" : "event: message\ndata: " + line_of(*taken.message) + "\n\n";
    is_good =
        finish(kWriteTime, [&](auto done) { asio::async_write(stream_, http::make_chunk(asio::buffer(event)), done); });
  }
  return is_good && finish(kWriteTime, [&](auto done) { asio::async_write(stream_, http::make_chunk_last(), done); }) &&
         request.keep_alive();
}

bool Connection::answer_delete(const Request& request) {
  if (!sessions_.end(text_of(request[kSessionHeader]))) {
    return refuse({http::status::not_found, "there is no such session"}, request.keep_alive());
  }
  return write(http::response<http::string_body>{http::status::no_content, 11}, request.keep_alive());
}

bool Connection::refuse(const Refusal& refusal, bool keep_alive) {
  http::response<http::string_body> response{refusal.status, 11};
  if (refusal.status == http::status::unauthorized) {
    response.set(http::field::www_authenticate, "Bearer");
  } else if (refusal.status == http::status::method_not_allowed) {
    response.set(http::field::allow, "POST, DELETE");
  }
  response.body() = line_of(Json{{"error", refusal.sentence}});
  return write(std::move(response), keep_alive);
}

bool Connection::write(http::response<http::string_body> response, bool keep_alive) {
  if (!response.body().empty()) {
    response.set(http::field::content_type, "application/json");
  }
  response.keep_alive(keep_alive);
  response.prepare_payload();
  return finish(kWriteTime, [&](auto done) { http::async_write(stream_, response, done); }) && keep_alive;
}

void Connection::run() {
  Request request;
  while (!stop_.is_wished() && read(request) && answer(request)) {
  }
  beast::error_code ignored;
  stream_.socket().shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
}

}  // namespace

void serve_connection(int socket, Sessions& sessions, const std::string& token, const Stop& stop) {
  // Nothing that a client sends may end more than its own connection.
  const Result<void> served =
      guarded([&] { Connection(socket, sessions, token, stop).run(); }, ErrorCode::kEnvironment, "a connection");
  static_cast<void>(served.has_value());
}

}  // namespace stitch::mcp
