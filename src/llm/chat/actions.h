// SPDX-License-Identifier: Apache-2.0
// Calls of tools: what a model wrote as arguments, and how a model is asked whose server knows no tools. Then a call is
// one JSON object in its answer: {"tool": NAME, "arguments": {...}}.
#pragma once

#include <string>
#include <vector>

#include "base/error/result.h"
#include "base/json/json_forward.h"
#include "llm/chat/chat.h"

namespace stitch::llm {

// A request's messages with its tools told in the first, calls and results as text.
std::vector<Message> with_actions(const ChatRequest& request);
// kInternal where a tool's own schema is no JSON object.
Result<Json> action_schema(const std::vector<Tool>& tools);

// Takes the first action out of an answer's text, if there is one, as its call.
void take_action(ChatReply& reply);
// Complains of calls whose tool there is not, with the names of those that there are.
void check_names(ChatReply& reply, const std::vector<Tool>& tools);

// The same call with its arguments as one JSON object, or with a complaint: models write broken JSON, wrap it in a
// string, or write nothing.
ToolCall with_checked_arguments(ToolCall call);
// What goes back to the server as this call's arguments: servers refuse a whole request for broken ones, so a valid
// object with the complaint takes their place.
std::string arguments_to_send(const ToolCall& call);

}  // namespace stitch::llm
