// SPDX-License-Identifier: Apache-2.0
#include "completions/run/model_text.h"

#include <fmt/format.h>

#include <algorithm>

namespace stitch::completions {
namespace {

constexpr const char* kEndOfTurn = "<|im_end|>";  // of all templates that tokens::ChatTemplate names

Result<std::shared_ptr<const grammar::Vocabulary>> vocabulary_of(const tokens::Tokenizer& tokenizer, int64_t vocab) {
  std::vector<std::string> bytes(static_cast<size_t>(vocab));
  for (int64_t id = 0; id < tokenizer.vocab_size(); ++id) {
    bytes[static_cast<size_t>(id)] = tokenizer.is_special(id) ? "" : std::string(tokenizer.bytes_of(id));
  }
  STITCH_ASSIGN(grammar::Vocabulary made, grammar::Vocabulary::make(std::move(bytes)));
  return std::make_shared<const grammar::Vocabulary>(std::move(made));
}

}  // namespace

Result<ModelText> make_model_text(tokens::Tokenizer tokenizer, tokens::ChatTemplate chat, const TokenIds& end_tokens,
                                  int64_t context, int64_t vocab) {
  if (tokenizer.vocab_size() > vocab) {
    return failure(
        ErrorCode::kUsage,
        fmt::format("the tokenizer has {} tokens, and the model's vocabulary {}", tokenizer.vocab_size(), vocab), "",
        "name the tokenizer that belongs to the model");
  }
  for (const int64_t end : end_tokens) {
    if (end < 0 || end >= vocab) {
      return failure(ErrorCode::kFileInvalid,
                     fmt::format("the model's texts end with token {} of a vocabulary of {}", end, vocab), "",
                     "mend eos_token_id in its config.json");
    }
  }
  STITCH_ASSIGN(const auto controls, tokens::encode_chat(tokenizer, {{"<|im_start|>", true}, {kEndOfTurn, true}}));
  ModelText text{.tokenizer = std::move(tokenizer), .chat = chat, .stop_tokens = end_tokens};
  if (std::find(end_tokens.begin(), end_tokens.end(), controls.back()) == end_tokens.end()) {
    text.stop_tokens.push_back(controls.back());
  }
  text.context = context;
  text.vocab = vocab;
  text.vocabulary = vocabulary_of(text.tokenizer, vocab);
  return text;
}

Result<TokenIds> encode_prompt(const ModelText& text, const Prompt& prompt) {
  if (const auto* ids = std::get_if<TokenIds>(&prompt); ids != nullptr) {
    for (const int64_t id : *ids) {
      if (id < 0 || id >= text.vocab) {
        return failure(ErrorCode::kUsage, fmt::format("the prompt has token {} of a vocabulary of {}", id, text.vocab));
      }
    }
    return *ids;
  }
  if (const auto* words = std::get_if<std::string>(&prompt); words != nullptr) {
    return text.tokenizer.encode(*words);
  }
  tokens::Conversation conversation{.messages = std::get<0>(prompt), .tools = {}};
  conversation.thinks = false;  // a model is trained on answers without thoughts before them
  STITCH_ASSIGN(const auto pieces, tokens::chat_pieces(text.chat, conversation));
  return tokens::encode_chat(text.tokenizer, pieces);
}

}  // namespace stitch::completions
