// SPDX-License-Identifier: Apache-2.0
// Conversations as the text that a model was trained on. The templates are code, made after the Jinja texts that come
// with the models; there is no Jinja here.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error/result.h"
#include "base/json/json_forward.h"
#include "tokens/tokenizer/tokenizer.h"

namespace stitch::tokens {

enum class ChatTemplate {
  kChatMl,   // <|im_start|>, role, content, <|im_end|>, and nothing else
  kSmolLm2,  // the same, with a system message of its own where a conversation has none
  kQwen3,    // the same, with thoughts, tools and their answers
};

// By what is particular to each; kUnsupportedOperator for a template that is none of them.
Result<ChatTemplate> chat_template_of(std::string_view jinja);

enum class Role { kSystem, kUser, kAssistant, kTool };

struct ToolCall {
  std::string name;
  std::string arguments;  // as JSON
};

struct ChatMessage {
  Role role = Role::kUser;
  std::string content;
  std::optional<std::string>
      thoughts;                 // of the assistant; none: those that `content` holds in <think> are its thoughts
  std::vector<ToolCall> calls;  // of the assistant
};

struct Conversation {
  std::vector<ChatMessage> messages;
  std::vector<std::string> tools;  // their descriptions, each an object as JSON
  bool asks_for_answer = true;     // ends where the assistant begins
  bool thinks = true;              // of Qwen3: false puts empty thoughts before the answer
};

// A stretch of the text: one of the template's own control tokens, or text in which nothing is one.
struct ChatPiece {
  std::string text;
  bool is_control = false;
};

// kUsage where the conversation has what the template does not know (tools outside of Qwen3), or a tool's description
// or a call's arguments are no JSON.
Result<std::vector<ChatPiece>> chat_pieces(ChatTemplate kind, const Conversation& conversation);
std::string text_of(const std::vector<ChatPiece>& pieces);

// Ids of the whole. They are those of encode(text_of(pieces)), but that "<|im_end|>" within a message, a stranger's
// perhaps, is text. kFileInvalid where the tokenizer lacks a control token.
Result<std::vector<TokenId>> encode_chat(const Tokenizer& tokenizer, const std::vector<ChatPiece>& pieces);

// JSON as Python's json.dumps(..., ensure_ascii=False) spaces it, which templates are written for.
std::string spaced_json(const Json& json);

}  // namespace stitch::tokens
