// SPDX-License-Identifier: Apache-2.0
#include "tokens/chat/chat.h"

#include <fmt/format.h>

#include "base/json/json.h"
#include "tokens/chat/piece_list.h"

namespace stitch::tokens {
namespace {

constexpr std::string_view kSmolLmSystem = "You are a helpful AI assistant named SmolLM, trained by Hugging Face";

Result<std::vector<ChatPiece>> chatml_pieces(const Conversation& conversation, std::string_view default_system) {
  if (!conversation.tools.empty()) {
    return failure(ErrorCode::kUsage, "this model's chat template knows no tools", "", "choose a model that does");
  }
  PieceList pieces;
  const bool has_system = !conversation.messages.empty() && conversation.messages.front().role == Role::kSystem;
  if (!default_system.empty() && !conversation.messages.empty() && !has_system) {
    pieces.begin("system");
    pieces.text(default_system);
    pieces.end();
  }
  for (const ChatMessage& message : conversation.messages) {
    if (!message.calls.empty() || message.thoughts.has_value()) {
      return failure(ErrorCode::kUsage, "this model's chat template knows neither calls of tools nor thoughts", "",
                     "put them into the content, or choose a model that does");
    }
    pieces.begin(to_string(message.role));
    pieces.text(message.content);
    pieces.end();
  }
  if (conversation.asks_for_answer) {
    pieces.begin("assistant");
  }
  return std::move(pieces).take();
}

}  // namespace

std::string_view to_string(Role role) {
  switch (role) {
    case Role::kSystem:
      return "system";
    case Role::kUser:
      return "user";
    case Role::kAssistant:
      return "assistant";
    case Role::kTool:
      return "tool";
  }
  return "";
}

Result<ChatTemplate> chat_template_of(std::string_view jinja) {
  const auto has = [&](std::string_view words) { return jinja.find(words) != std::string_view::npos; };
  if (has("<|im_start|>")) {
    const bool has_tools = has("<tool_call>");
    if (has_tools && has("<tool_response>") && has("enable_thinking")) {
      return ChatTemplate::kQwen3;
    }
    if (!has_tools && has(kSmolLmSystem)) {
      return ChatTemplate::kSmolLm2;
    }
    if (!has_tools && !has("You are")) {
      return ChatTemplate::kChatMl;
    }
  }
  return failure(ErrorCode::kUnsupportedOperator,
                 "the model's chat template is none that is known here: ChatML, SmolLM2's, Qwen3's", "",
                 "choose a model with one of these");
}

Result<std::vector<ChatPiece>> chat_pieces(ChatTemplate kind, const Conversation& conversation) {
  if (kind == ChatTemplate::kQwen3) {
    return qwen3_pieces(conversation);
  }
  return chatml_pieces(conversation, kind == ChatTemplate::kSmolLm2 ? kSmolLmSystem : "");
}

std::string text_of(const std::vector<ChatPiece>& pieces) {
  std::string text;
  for (const ChatPiece& piece : pieces) {
    text += piece.text;
  }
  return text;
}

Result<std::vector<TokenId>> encode_chat(const Tokenizer& tokenizer, const std::vector<ChatPiece>& pieces) {
  std::vector<TokenId> ids;
  for (const ChatPiece& piece : pieces) {
    if (!piece.is_control) {
      STITCH_ASSIGN(const std::vector<TokenId> more, tokenizer.encode(piece.text, {.is_markup_literal = true}));
      ids.insert(ids.end(), more.begin(), more.end());
      continue;
    }
    const std::optional<TokenId> id = tokenizer.id_of(piece.text);
    if (!id.has_value()) {
      return failure(ErrorCode::kFileInvalid, fmt::format("the tokenizer has no token \"{}\"", piece.text), "",
                     "choose the chat template that belongs to this tokenizer");
    }
    ids.push_back(*id);
  }
  return ids;
}

std::string spaced_json(const Json& json) {
  const auto plain = [](const Json& value) { return value.dump(-1, ' ', false, Json::error_handler_t::replace); };
  if (!json.is_structured()) {
    return plain(json);
  }
  std::string text;
  for (const auto& [key, value] : json.items()) {
    text += text.empty() ? "" : ", ";
    text += json.is_object() ? plain(Json(key)) + ": " : "";
    text += spaced_json(value);
  }
  return json.is_object() ? "{" + text + "}" : "[" + text + "]";
}

}  // namespace stitch::tokens
