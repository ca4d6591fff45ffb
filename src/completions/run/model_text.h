// SPDX-License-Identifier: Apache-2.0
// How a model's tokens become text, and text its tokens.
#pragma once

#include <memory>

#include "base/error/result.h"
#include "completions/request/completion_request.h"
#include "grammar/masks/vocabulary.h"
#include "tokens/tokenizer/tokenizer.h"

namespace stitch::completions {

struct ModelText {
  tokens::Tokenizer tokenizer;
  tokens::ChatTemplate chat = tokens::ChatTemplate::kChatMl;
  TokenIds stop_tokens{};      // the end of a text, and of a turn
  int64_t context = 0;         // positions
  int64_t vocab = 0;           // of the model; its tokenizer may have fewer
  int64_t default_tokens = 0;  // of an answer where nobody says how many; 0: all positions that are left
  // For answers by a schema; shared with the masks of requests that are under way. The error is why there are none.
  Result<std::shared_ptr<const grammar::Vocabulary>> vocabulary = std::shared_ptr<const grammar::Vocabulary>();
};

// kFileInvalid for a tokenizer without the template's control tokens and for ends that are no tokens, kUsage for a
// tokenizer with more tokens than the model.
Result<ModelText> make_model_text(tokens::Tokenizer tokenizer, tokens::ChatTemplate chat, const TokenIds& end_tokens,
                                  int64_t context, int64_t vocab);

// kUsage for tokens that there are not and for messages that the template does not know.
Result<TokenIds> encode_prompt(const ModelText& text, const Prompt& prompt);

}  // namespace stitch::completions
