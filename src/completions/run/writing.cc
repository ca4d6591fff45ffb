// SPDX-License-Identifier: Apache-2.0
#include "completions/run/writing.h"

#include <algorithm>

namespace stitch::completions {

Writing::Writing(const ModelText& text, const Sampling& sampling, const TokenIds& stop_tokens,
                 grammar::TokenMasks* masks)
    : decoder_(text.tokenizer, /*skips_special=*/true), stops_(sampling.stop), stop_tokens_(stop_tokens) {
  if (masks != nullptr) {
    reader_.emplace(*masks);
  }
  only_stops_.assign(static_cast<size_t>(text.vocab), 0);
  for (const int64_t stop : stop_tokens) {
    only_stops_[static_cast<size_t>(stop)] = 1;
  }
}

std::string Writing::take(std::span<const int64_t> tokens) {
  std::string told;
  for (; count_ < tokens.size(); ++count_) {
    const int64_t token = tokens[count_];
    if (std::find(stop_tokens_.begin(), stop_tokens_.end(), token) != stop_tokens_.end()) {
      continue;
    }
    told += stops_.push(decoder_.push(token));
    if (reader_.has_value()) {
      reader_->read({&token, 1});
    }
  }
  text_ += told;
  return told;
}

const std::vector<uint8_t>* Writing::allowed(bool must_end) {
  if (must_end || stops_.is_found()) {
    is_forced_ = true;
    return &only_stops_;
  }
  if (!reader_.has_value()) {
    return nullptr;
  }
  mask_ = *reader_->allowed();
  for (size_t id = 0; reader_->may_end() && id < mask_.size(); ++id) {
    mask_[id] = mask_[id] | only_stops_[id];
  }
  return &mask_;
}

std::string Writing::finish(const Drawn& drawn, Choice& choice) {
  std::string told = take(drawn.tokens);
  std::string rest = stops_.push(decoder_.finish());
  rest += stops_.finish();
  text_ += rest;
  choice = {.text = text_, .tokens = drawn.tokens, .log_probs = drawn.log_probs};
  choice.is_stopped = drawn.is_stopped || stops_.is_found();
  // The stop token behind a stop text was not the model's choice.
  if (is_forced_ && drawn.is_stopped) {
    choice.tokens.pop_back();
    choice.log_probs.pop_back();
  }
  return told + rest;
}

}  // namespace stitch::completions
