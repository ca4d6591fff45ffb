// SPDX-License-Identifier: Apache-2.0
// Qwen3's template (tokenizer_config.json of Qwen3-0.6B to Qwen3-32B): thoughts of earlier questions are forgotten,
// those since the last one stay.
#include <algorithm>

#include "base/json/json.h"
#include "tokens/chat/piece_list.h"

namespace stitch::tokens {
namespace {

std::string_view without_leading_lines(std::string_view text) {
  return text.substr(std::min(text.find_first_not_of('\n'), text.size()));
}

std::string_view without_trailing_lines(std::string_view text) {
  return text.substr(0, text.find_last_not_of('\n') + 1);  // npos + 1 is 0
}

struct Answer {
  std::string_view thoughts;
  std::string_view content;
};

// Thoughts that stand in the content are taken out of it: what lies between the last <think> and the first </think>.
Answer answer_of(const ChatMessage& message) {
  if (message.thoughts.has_value()) {
    return {*message.thoughts, message.content};
  }
  constexpr std::string_view kBegin = "<think>";
  constexpr std::string_view kEnd = "</think>";
  const std::string_view all = message.content;
  const size_t first_end = all.find(kEnd);
  if (first_end == std::string_view::npos) {
    return {{}, all};
  }
  std::string_view thoughts = without_trailing_lines(all.substr(0, first_end));
  const size_t begin = thoughts.rfind(kBegin);
  thoughts = without_leading_lines(begin == std::string_view::npos ? thoughts : thoughts.substr(begin + kBegin.size()));
  return {thoughts, without_leading_lines(all.substr(all.rfind(kEnd) + kEnd.size()))};
}

Result<Json> json_of(const std::string& text, const char* what) {
  Result<Json> json = parse_json(text, what);
  if (!json.has_value()) {
    return failure(ErrorCode::kUsage, std::string(what) + " is no JSON", "", "correct the conversation");
  }
  return json;
}

Result<void> put_tools(const Conversation& conversation, PieceList& pieces) {
  pieces.begin("system");
  if (!conversation.messages.empty() && conversation.messages.front().role == Role::kSystem) {
    pieces.text(conversation.messages.front().content);
    pieces.text("\n\n");
  }
  pieces.text(
      "# Tools\n\nYou may call one or more functions to assist with the user query.\n\nYou are provided with function "
      "signatures within <tools></tools> XML tags:\n<tools>");
  for (const std::string& tool : conversation.tools) {
    STITCH_ASSIGN(const Json json, json_of(tool, "the description of a tool"));
    pieces.text("\n");
    pieces.text(spaced_json(json));
  }
  pieces.text(
      "\n</tools>\n\nFor each function call, return a json object with function name and arguments within "
      "<tool_call></tool_call> XML tags:\n<tool_call>\n{\"name\": <function-name>, \"arguments\": "
      "<args-json-object>}\n</tool_call>");
  pieces.end();
  return {};
}

// The position of the last message that a person wrote; tools answer as users do in some conversations.
size_t last_question(const std::vector<ChatMessage>& messages) {
  for (size_t i = messages.size(); i-- > 0;) {
    const std::string& content = messages[i].content;
    const bool is_tool = content.starts_with("<tool_response>") && content.ends_with("</tool_response>");
    if (messages[i].role == Role::kUser && !is_tool) {
      return i;
    }
  }
  return messages.empty() ? 0 : messages.size() - 1;
}

Result<void> put_answer(const ChatMessage& message, bool is_recent, bool is_last, PieceList& pieces) {
  const Answer answer = answer_of(message);
  pieces.begin("assistant");
  if (is_recent && (is_last || !answer.thoughts.empty())) {
    pieces.text("<think>\n");
    pieces.text(without_trailing_lines(without_leading_lines(answer.thoughts)));
    pieces.text("\n</think>\n\n");
    pieces.text(without_leading_lines(answer.content));
  } else {
    pieces.text(answer.content);
  }
  for (size_t i = 0; i < message.calls.size(); ++i) {
    const ToolCall& call = message.calls[i];
    STITCH_ASSIGN(const Json arguments, json_of(call.arguments, "what a tool is called with"));
    pieces.text(i > 0 || !answer.content.empty() ? "\n<tool_call>\n{\"name\": \"" : "<tool_call>\n{\"name\": \"");
    pieces.text(call.name);
    pieces.text("\", \"arguments\": ");
    pieces.text(spaced_json(arguments));
    pieces.text("}\n</tool_call>");
  }
  pieces.end();
  return {};
}

// Answers of tools that follow one another stand in one turn of the user.
void put_tool_answer(const std::vector<ChatMessage>& messages, size_t at, PieceList& pieces) {
  if (at == 0 || messages[at - 1].role != Role::kTool) {
    pieces.control("<|im_start|>");
    pieces.text("user");
  }
  pieces.text("\n<tool_response>\n");
  pieces.text(messages[at].content);
  pieces.text("\n</tool_response>");
  if (at + 1 == messages.size() || messages[at + 1].role != Role::kTool) {
    pieces.end();
  }
}

}  // namespace

Result<std::vector<ChatPiece>> qwen3_pieces(const Conversation& conversation) {
  PieceList pieces;
  const std::vector<ChatMessage>& messages = conversation.messages;
  if (!conversation.tools.empty()) {
    STITCH_TRY(put_tools(conversation, pieces));
  }
  const size_t question = last_question(messages);
  for (size_t i = 0; i < messages.size(); ++i) {
    const ChatMessage& message = messages[i];
    if (message.role == Role::kAssistant) {
      STITCH_TRY(put_answer(message, i > question, i + 1 == messages.size(), pieces));
    } else if (message.role == Role::kTool) {
      put_tool_answer(messages, i, pieces);
    } else if (message.role == Role::kUser || i > 0 || conversation.tools.empty()) {
      pieces.begin(to_string(message.role));
      pieces.text(message.content);
      pieces.end();
    }
  }
  if (conversation.asks_for_answer) {
    pieces.begin("assistant");
    if (!conversation.thinks) {
      pieces.text("<think>\n\n</think>\n\n");
    }
  }
  return std::move(pieces).take();
}

}  // namespace stitch::tokens
