// SPDX-License-Identifier: Apache-2.0
#include "llm/chat/write_request.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/json/json.h"
#include "llm/chat/actions.h"

namespace stitch::llm {
namespace {

const char* to_string(Speaker speaker) {
  switch (speaker) {
    case Speaker::kSystem:
      return "system";
    case Speaker::kUser:
      return "user";
    case Speaker::kAssistant:
      return "assistant";
    case Speaker::kTool:
      return "tool";
  }
  return "user";
}

Result<Json> schema_of(const std::string& text, const std::string& what) {
  const Result<Json> schema = parse_json(text, what);
  if (!schema.has_value() || !schema->is_object()) {
    return failure(ErrorCode::kInternal, fmt::format("the schema of {} is no JSON object", what));
  }
  return *schema;
}

Json written(const Message& message) {
  Json json = {{"role", to_string(message.speaker)}, {"content", message.content}};
  if (!message.calls.empty()) {
    json["content"] = message.content.empty() ? Json() : Json(message.content);
    for (const ToolCall& call : message.calls) {
      json["tool_calls"].push_back({{"id", call.id},
                                    {"type", "function"},
                                    {"function", {{"name", call.name}, {"arguments", arguments_to_send(call)}}}});
    }
  }
  if (message.speaker == Speaker::kTool) {
    json["tool_call_id"] = message.call_id;
  }
  return json;
}

Result<Json> written(const std::vector<Tool>& tools) {
  Json list = Json::array();
  for (const Tool& tool : tools) {
    STITCH_ASSIGN(Json schema, schema_of(tool.schema, tool.name));
    list.push_back(
        {{"type", "function"},
         {"function", {{"name", tool.name}, {"description", tool.description}, {"parameters", std::move(schema)}}}});
  }
  return list;
}

void add_schema(Json& body, const char* name, Json schema) {
  body["response_format"] = {{"type", "json_schema"},
                             {"json_schema", {{"name", name}, {"strict", true}, {"schema", std::move(schema)}}}};
}

void add_sampling(Json& body, const Sampling& sampling, const Dialect& dialect) {
  body[dialect.counts_completion_tokens ? "max_completion_tokens" : "max_tokens"] = sampling.max_tokens;
  if (sampling.temperature.has_value()) {
    body["temperature"] = *sampling.temperature;
  }
  if (sampling.top_p.has_value()) {
    body["top_p"] = *sampling.top_p;
  }
  if (sampling.seed.has_value()) {
    body["seed"] = *sampling.seed;
  }
  if (sampling.wants_tokens) {
    body["return_token_ids"] = true;
  }
  if (sampling.wants_log_probs) {
    body["logprobs"] = true;
  }
}

}  // namespace

Result<Json> write_request(const ChatRequest& request, const Dialect& dialect) {
  const bool by_action = !request.tools.empty() && !dialect.tools;
  Json body = {{"model", request.model}, {"messages", Json::array()}};
  for (const Message& message : by_action ? with_actions(request) : request.messages) {
    body["messages"].push_back(written(message));
  }
  if (by_action && dialect.schemas) {
    STITCH_ASSIGN(Json schema, action_schema(request.tools));
    add_schema(body, "action", std::move(schema));
  } else if (!request.tools.empty() && dialect.tools) {
    STITCH_ASSIGN(body["tools"], written(request.tools));
  } else if (!request.schema.empty() && dialect.schemas) {
    STITCH_ASSIGN(Json schema, schema_of(request.schema, "the answer"));
    add_schema(body, "answer", std::move(schema));
  }
  add_sampling(body, request.sampling, dialect);
  body["stream"] = dialect.streams;
  if (dialect.streams && dialect.usage_in_stream) {
    body["stream_options"] = {{"include_usage", true}};
  }
  return body;
}

}  // namespace stitch::llm
