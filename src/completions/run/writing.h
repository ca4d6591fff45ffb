// SPDX-License-Identifier: Apache-2.0
// One answer while it is drawn: its text as far as it can be told, and what may follow.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "completions/answer/stop_finder.h"
#include "completions/run/engine.h"
#include "completions/run/model_text.h"
#include "grammar/masks/token_masks.h"

namespace stitch::completions {

struct Choice {
  std::string text{};
  TokenIds tokens{};
  std::vector<float> log_probs{};
  bool is_stopped = false;  // else it reached its limit
};

class Writing {
 public:
  // All must outlive it; `masks` is null where any text may be written.
  Writing(const ModelText& text, const Sampling& sampling, const TokenIds& stop_tokens, grammar::TokenMasks* masks);

  // What `tokens`, all so far, say beyond those of the last call, as far as it can be told.
  std::string take(std::span<const int64_t> tokens);
  // nullptr where anything may follow. `must_end`: nothing but a stop token. It lives until the next call.
  const std::vector<uint8_t>* allowed(bool must_end);
  // Once nothing follows: the rest of the text, which take() held back, and the whole of the answer.
  std::string finish(const Drawn& drawn, Choice& choice);

 private:
  tokens::StreamDecoder decoder_;
  StopFinder stops_;
  const TokenIds& stop_tokens_;
  std::optional<grammar::TokenReader> reader_;
  std::vector<uint8_t> only_stops_, mask_;
  size_t count_ = 0;
  std::string text_;
  bool is_forced_ = false;
};

}  // namespace stitch::completions
