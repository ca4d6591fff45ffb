// SPDX-License-Identifier: Apache-2.0
// JSON-RPC 2.0: what a peer sent, read with suspicion, and what it is answered.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "base/json/json.h"

namespace stitch::mcp {

// Codes of JSON-RPC.
enum class RpcError {
  kParse = -32700,
  kInvalidRequest = -32600,
  kMethodNotFound = -32601,
  kInvalidParams = -32602,
};

enum class MessageKind { kRequest, kNotification, kResponse };

struct Message {
  MessageKind kind = MessageKind::kNotification;
  Json id;  // of a request: a text or a number
  std::string method;
  Json params = Json::object();
};

Json response(const Json& id, Json result);
Json error_response(const Json& id, RpcError code, const std::string& sentence);
Json notification(const std::string& method, Json params);

struct Malformed {
  std::string why;
};
// One line or one body, not yet looked into: an object, or an array of such. No deeper than values of ours ever are:
// what copies or prints a deeper one would use up the stack.
std::variant<Json, Malformed> parse_text(std::string_view text);

// The message in an object; else the error response.
std::variant<Message, Json> message_from_json(const Json& json);

// A message as one line without its end.
std::string line_of(const Json& message);

}  // namespace stitch::mcp
