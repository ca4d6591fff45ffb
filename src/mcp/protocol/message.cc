// SPDX-License-Identifier: Apache-2.0
#include "mcp/protocol/message.h"

#include <fmt/format.h>

#include "base/json/depth.h"

namespace stitch::mcp {
namespace {

constexpr int kMaxDepth = 64;
constexpr size_t kMaxIdBytes = 256;

bool is_id(const Json& id) {
  return id.is_number() || (id.is_string() && id.get_ref<const std::string&>().size() <= kMaxIdBytes);
}

}  // namespace

Json response(const Json& id, Json result) {
  return Json{{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(result)}};
}

Json error_response(const Json& id, RpcError code, const std::string& sentence) {
  return Json{{"jsonrpc", "2.0"}, {"id", id}, {"error", {{"code", static_cast<int>(code)}, {"message", sentence}}}};
}

Json notification(const std::string& method, Json params) {
  return Json{{"jsonrpc", "2.0"}, {"method", method}, {"params", std::move(params)}};
}

std::variant<Json, Malformed> parse_text(std::string_view text) {
  if (is_nested_deeper(text, kMaxDepth)) {
    return Malformed{fmt::format("the message is nested deeper than {} levels", kMaxDepth)};
  }
  Result<Json> parsed = parse_json(text, "the message");
  if (!parsed.has_value()) {
    return Malformed{"the message is not JSON"};
  }
  return std::move(*parsed);
}

std::variant<Message, Json> message_from_json(const Json& json) {
  if (!json.is_object()) {
    return error_response(Json(), RpcError::kInvalidRequest, "a message is a JSON object");
  }
  const bool has_id = json.contains("id");
  const Json id = has_id && is_id(json["id"]) ? json["id"] : Json();
  if (json.value("jsonrpc", Json()) != "2.0") {
    return error_response(id, RpcError::kInvalidRequest, "a message has \"jsonrpc\": \"2.0\"");
  }
  Message message;
  if (!json.contains("method") && has_id && (json.contains("result") || json.contains("error"))) {
    message.kind = MessageKind::kResponse;
    return message;
  }
  if (!json.contains("method") || !json["method"].is_string()) {
    return error_response(id, RpcError::kInvalidRequest, "a message has a method, which is a text");
  }
  if (has_id && id.is_null()) {
    return error_response(id, RpcError::kInvalidRequest,
                          fmt::format("an id is a number or a text of at most {} bytes", kMaxIdBytes));
  }
  message.kind = has_id ? MessageKind::kRequest : MessageKind::kNotification;
  message.id = id;
  message.method = json["method"].get<std::string>();
  if (json.contains("params") && !json["params"].is_null()) {
    if (!json["params"].is_object()) {
      return error_response(id, RpcError::kInvalidParams, "params are a JSON object");
    }
    message.params = json["params"];
  }
  return message;
}

std::string line_of(const Json& message) { return message.dump(-1, ' ', false, Json::error_handler_t::replace); }

}  // namespace stitch::mcp
