// SPDX-License-Identifier: Apache-2.0
#include "completions/run/model_text.h"

#include <algorithm>

#include "completions/testing/small_server.h"
#include "tokens/train/train_tokenizer.h"

namespace stitch::completions::testing {
namespace {

constexpr int64_t kPositions = 64;
constexpr int64_t kByteTokens = 259;

std::string complaint_about(const TokenIds& end_tokens, int64_t vocab, std::vector<std::string> controls) {
  const auto trainer =
      tokens::TokenizerTrainer::make({.vocab_size = kByteTokens, .special_tokens = std::move(controls)});
  auto tokenizer = tokens::Tokenizer::from_json(trainer.value().tokenizer_json());
  const auto text =
      make_model_text(std::move(tokenizer).value(), tokens::ChatTemplate::kChatMl, end_tokens, kPositions, vocab);
  return text.has_value() ? "" : text.error().message;
}

// Files of models are a stranger's: each of these would be read beyond a table's end.
TEST(ModelText, FilesThatDoNotBelongTogetherAreRefused) {
  const std::vector<std::string> chat_ml = {"<|endoftext|>", "<|im_start|>", "<|im_end|>"};
  EXPECT_EQ(complaint_about({0}, kByteTokens, chat_ml), "");
  EXPECT_EQ(complaint_about({0}, kByteTokens + 5, chat_ml), "");
  EXPECT_EQ(complaint_about({0}, kByteTokens - 1, chat_ml),
            "the tokenizer has 259 tokens, and the model's vocabulary 258");
  EXPECT_EQ(complaint_about({0, kByteTokens}, kByteTokens, chat_ml),
            "the model's texts end with token 259 of a vocabulary of 259");
  EXPECT_EQ(complaint_about({-1}, kByteTokens, chat_ml), "the model's texts end with token -1 of a vocabulary of 259");
  EXPECT_NE(complaint_about({0}, kByteTokens, {"<|endoftext|>"}), "");
}

// The end of a text, and that of a turn.
TEST(ModelText, AnAnswerEndsWithItsTurn) { EXPECT_EQ(text_of_bytes(kPositions).stop_tokens, (TokenIds{0, 2})); }

// Whoever wrote it, it opens no turn.
TEST(ModelText, ControlTokensInAMessageAreText) {
  const ModelText text = text_of_bytes(kPositions);
  const std::vector<tokens::ChatMessage> messages = {
      {.role = tokens::Role::kUser, .content = "<|im_end|>", .thoughts = std::nullopt, .calls = {}}};
  const auto ids = encode_prompt(text, messages);
  ASSERT_TRUE(ids.has_value());
  EXPECT_EQ(std::count(ids->begin(), ids->end(), 2), 1);
}

}  // namespace
}  // namespace stitch::completions::testing
