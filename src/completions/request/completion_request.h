// SPDX-License-Identifier: Apache-2.0
// What a client asks for, in words of our own.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "tokens/chat/chat.h"

namespace stitch::completions {

using TokenIds = std::vector<int64_t>;

// Messages of a chat, a text, or tokens as they are.
using Prompt = std::variant<std::vector<tokens::ChatMessage>, std::string, TokenIds>;

struct Sampling {
  double temperature = 1;  // 0: the likeliest
  double top_p = 1;
  int64_t top_k = 0;                  // 0: all
  std::optional<uint64_t> seed{};     // none: by chance
  std::optional<int64_t> max_tokens;  // none: as many as the model has positions left
  int64_t count = 1;                  // of answers
  std::vector<std::string> stop{};    // texts before which an answer ends
  TokenIds stop_tokens{};             // in addition to the model's own
};

struct CompletionRequest {
  std::string model{};
  Prompt prompt{};
  Sampling sampling{};
  std::string schema{};  // JSON schema of the answer; empty: free text
  bool streams = false;
  bool wants_usage = false;  // in a stream
  bool wants_token_ids = false;
  bool wants_log_probs = false;
  bool echoes = false;  // the prompt is a part of the answer, and of its log-probabilities

  bool is_chat() const { return prompt.index() == 0; }
};

}  // namespace stitch::completions
