// SPDX-License-Identifier: Apache-2.0
#include "mcp/http/answer_http.h"

#include <tuple>

#include "http/server/access.h"
#include "mcp/http/queue_outlet.h"

namespace stitch::mcp {
namespace {

constexpr std::chrono::seconds kBetweenSigns{5};  // of life, on a stream that has nothing to say
constexpr const char* kSessionHeader = "Mcp-Session-Id";
constexpr const char* kSessionHeaderRead = "mcp-session-id";
constexpr const char* kVersionHeader = "mcp-protocol-version";
constexpr const char* kPath = "/mcp";

// Before anything of the body is looked at.
std::optional<http::Response> refusal_of(const http::Request& request, const std::string& token) {
  if (!http::is_local_host(request.header("host")) || !http::is_allowed_origin(request.header("origin"))) {
    return http::refusal(403, "only programs and pages of this machine may ask");
  }
  if (!http::is_authorized(request.header("authorization"), token)) {
    http::Response refused = http::refusal(401, "send the token: Authorization: Bearer TOKEN");
    refused.headers = {{"WWW-Authenticate", "Bearer"}};
    return refused;
  }
  if (request.path != kPath) {
    return http::refusal(404, "the protocol is spoken at /mcp");
  }
  const std::string version = request.header(kVersionHeader);
  if (!version.empty() && !is_spoken(version)) {
    return http::refusal(400, "the protocol " + version.substr(0, 40) + " is not spoken here");
  }
  return std::nullopt;
}

bool is_initialize(const Json& json) { return json.is_object() && json.value("method", Json()) == "initialize"; }

bool asks_for_call(const Json& json) { return json.is_object() && json.value("method", Json()) == "tools/call"; }

// One object, or an array where several were asked for; nothing to say is 202.
void answer_with_json(http::Exchange& exchange, AnswerQueue& queue, const std::string& new_id) {
  http::Response response{.status = 202};
  while (!exchange.stop().is_wished()) {
    const AnswerQueue::Taken taken = queue.take(std::chrono::milliseconds(200));
    if (taken.is_closed) {
      break;
    }
    if (taken.message.has_value() && !taken.message->contains("method")) {
      response.status = 200;
      response.body = line_of(*taken.message);
    }
  }
  if (!new_id.empty()) {
    response.headers = {{kSessionHeader, new_id}};
  }
  exchange.answer(response);
}

void answer_with_events(http::Exchange& exchange, AnswerQueue& queue) {
  bool is_good =
      exchange.begin_stream({.content_type = "text/event-stream", .headers = {{"Cache-Control", "no-cache"}}});
  auto last_sign = std::chrono::steady_clock::now();
  while (is_good && !exchange.stop().is_wished()) {
    const AnswerQueue::Taken taken = queue.take(std::chrono::milliseconds(200));
    if (taken.is_closed) {
      break;
    }
    const bool is_quiet = !taken.message.has_value();
    if (is_quiet && std::chrono::steady_clock::now() - last_sign < kBetweenSigns) {
      continue;
    }
    last_sign = std::chrono::steady_clock::now();
    is_good =
        exchange.send(is_quiet ? ": still under way\n\n" : "event: message\ndata: " + line_of(*taken.message) + "\n\n");
  }
  exchange.end_stream();
}

void answer_post(http::Exchange& exchange, Sessions& sessions) {
  const http::Request& request = exchange.request();
  if (!request.header("content-type").starts_with("application/json")) {
    return exchange.answer(http::refusal(415, "messages are application/json"));
  }
  const std::variant<Json, Malformed> parsed = parse_text(request.body);
  if (const auto* malformed = std::get_if<Malformed>(&parsed); malformed != nullptr) {
    return exchange.answer({.status = 400, .body = line_of(error_response(Json(), RpcError::kParse, malformed->why))});
  }
  const Json& json = std::get<Json>(parsed);
  const std::string id = request.header(kSessionHeaderRead);
  std::string new_id;
  std::shared_ptr<Session> session;
  if (id.empty() && is_initialize(json)) {
    std::tie(new_id, session) = sessions.begin();
  } else if (id.empty()) {
    return exchange.answer(http::refusal(400, "begin with initialize, then send its Mcp-Session-Id"));
  } else if ((session = sessions.find(id)) == nullptr) {
    return exchange.answer(http::refusal(404, "there is no such session: begin with initialize"));
  }
  const auto queue = std::make_shared<AnswerQueue>();
  session->take(json, std::make_shared<QueueOutlet>(queue));
  const bool wants_events = request.header("accept").find("text/event-stream") != std::string::npos;
  if (asks_for_call(json) && wants_events && !request.is_http_1_0) {
    answer_with_events(exchange, *queue);
  } else {
    answer_with_json(exchange, *queue, new_id);
  }
}

}  // namespace

void answer_http(http::Exchange& exchange, Sessions& sessions, const std::string& token) {
  const http::Request& request = exchange.request();
  if (const std::optional<http::Response> refused = refusal_of(request, token)) {
    exchange.answer(*refused);
  } else if (request.method == "POST") {
    answer_post(exchange, sessions);
  } else if (request.method == "DELETE") {
    const bool is_ended = sessions.end(request.header(kSessionHeaderRead));
    exchange.answer(is_ended ? http::Response{.status = 204} : http::refusal(404, "there is no such session"));
  } else {
    http::Response refused = http::refusal(405, "send messages by POST, end a session by DELETE");
    refused.headers = {{"Allow", "POST, DELETE"}};
    exchange.answer(refused);
  }
}

}  // namespace stitch::mcp
