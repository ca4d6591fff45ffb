// SPDX-License-Identifier: Apache-2.0
#include "llm/chat/actions.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/json/embedded.h"
#include "base/json/json.h"

namespace stitch::llm {
namespace {

// Discarded where it is no JSON, or is nested deeper than anything that we print.
Json parsed(const std::string& text) {
  const Result<Json> json = parse_json(text, "a call");
  return json.has_value() ? *json : Json(Json::value_t::discarded);
}

std::string action_text(const ToolCall& call) {
  Json arguments = parsed(arguments_to_send(call));
  return Json{{"tool", call.name}, {"arguments", std::move(arguments)}}.dump();
}

std::string told_tools(const std::vector<Tool>& tools) {
  std::string text =
      "Answer with one JSON object and nothing else, which calls one tool: {\"tool\": NAME, \"arguments\": {...}}.\n";
  for (const Tool& tool : tools) {
    text += fmt::format("Tool {}: {} Arguments, as a JSON schema: {}\n", tool.name, tool.description, tool.schema);
  }
  return text;
}

}  // namespace

std::vector<Message> with_actions(const ChatRequest& request) {
  std::vector<Message> messages = request.messages;
  if (messages.empty() || messages.front().speaker != Speaker::kSystem) {
    messages.insert(messages.begin(), Message{.speaker = Speaker::kSystem});
  }
  std::string& system = messages.front().content;
  system += (system.empty() ? "" : "\n\n") + told_tools(request.tools);
  for (Message& message : messages) {
    for (const ToolCall& call : message.calls) {
      message.content += (message.content.empty() ? "" : "\n") + action_text(call);
    }
    message.calls.clear();
    if (message.speaker == Speaker::kTool) {
      message.speaker = Speaker::kUser;
      message.content = fmt::format("Result of {}:\n{}", message.tool, message.content);
    }
  }
  return messages;
}

Result<Json> action_schema(const std::vector<Tool>& tools) {
  Json any = Json::array();
  for (const Tool& tool : tools) {
    Json schema = parsed(tool.schema);
    if (!schema.is_object()) {
      return failure(ErrorCode::kInternal, fmt::format("the schema of {} is no JSON object", tool.name));
    }
    any.push_back({{"type", "object"},
                   {"properties", {{"tool", {{"const", tool.name}}}, {"arguments", std::move(schema)}}},
                   {"required", {"tool", "arguments"}},
                   {"additionalProperties", false}});
  }
  return Json{{"anyOf", std::move(any)}};
}

void take_action(ChatReply& reply) {
  // Many models were taught <tool_call>{"name": ..., "arguments": ...}</tool_call>, which servers without a parser for
  // it leave in the text.
  const char* name = "tool";
  std::optional<EmbeddedObject> found = embedded_object(reply.content, name);
  const size_t taught = reply.content.find("<tool_call>");
  if (!found.has_value() && taught != std::string::npos) {
    name = "name";
    found = embedded_object(reply.content, name);
  }
  if (!found.has_value() || !found->object.at(name).is_string()) {
    return;
  }
  const auto arguments = found->object.find("arguments");
  const bool has_text = arguments != found->object.end() && arguments->is_string();
  ToolCall call{.id = "action", .name = found->object.at(name).get<std::string>()};
  call.arguments = arguments == found->object.end() ? "" : has_text ? arguments->get<std::string>() : arguments->dump();
  reply.calls = {with_checked_arguments(std::move(call))};
  reply.content.resize(std::min(found->begin, taught));
  reply.finish = Finish::kCalls;
}

void check_names(ChatReply& reply, const std::vector<Tool>& tools) {
  std::string names;
  for (const Tool& tool : tools) {
    names += (names.empty() ? "" : ", ") + tool.name;
  }
  for (ToolCall& call : reply.calls) {
    const bool is_known =
        std::any_of(tools.begin(), tools.end(), [&](const Tool& tool) { return tool.name == call.name; });
    if (!is_known) {
      call.complaint = fmt::format("there is no tool \"{}\"; there are {}", call.name, names.empty() ? "none" : names);
    }
  }
}

ToolCall with_checked_arguments(ToolCall call) {
  Json arguments = parsed(call.arguments);
  if (arguments.is_string()) {
    arguments = parsed(arguments.get<std::string>());
  }
  const bool is_nothing = call.arguments.find_first_not_of(" \n\r\t") == std::string::npos || arguments.is_null();
  if (is_nothing) {
    arguments = Json::object();
  }
  if (arguments.is_object()) {
    call.arguments = arguments.dump();
  } else {
    call.complaint = arguments.is_discarded() ? "its arguments are no valid JSON" : "its arguments are no JSON object";
  }
  return call;
}

std::string arguments_to_send(const ToolCall& call) {
  const Json arguments = parsed(call.arguments);
  return arguments.is_object() ? call.arguments : Json{{"complaint", call.complaint}}.dump();
}

}  // namespace stitch::llm
