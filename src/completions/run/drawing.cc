// SPDX-License-Identifier: Apache-2.0
#include "completions/run/drawing.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "base/json/json.h"
#include "base/seed/seed.h"
#include "grammar/schema/read_schema.h"

namespace stitch::completions {
namespace {

constexpr size_t kMaxSchemas = 16;

// One answer while it is drawn.
class Writing {
 public:
  Writing(const ModelText& text, const Sampling& sampling, const TokenIds& stop_tokens, grammar::TokenMasks* masks)
      : decoder_(text.tokenizer, /*skips_special=*/true), stops_(sampling.stop), stop_tokens_(stop_tokens) {
    if (masks != nullptr) {
      reader_.emplace(*masks);
    }
    only_stops_.assign(static_cast<size_t>(text.vocab), 0);
    for (const int64_t stop : stop_tokens) {
      only_stops_[static_cast<size_t>(stop)] = 1;
    }
  }

  // What `tokens` say beyond those before, as far as it can be told.
  std::string take(std::span<const int64_t> tokens) {
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

  bool has_ended() const { return stops_.is_found(); }

  // nullptr where anything may follow. `must_end`: nothing but a stop token.
  const std::vector<uint8_t>* allowed(bool must_end) {
    if (must_end || has_ended()) {
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

  std::string finish(const Drawn& drawn, Choice& choice) {
    std::string told = take(drawn.tokens);
    std::string rest = stops_.push(decoder_.finish());
    rest += stops_.finish();
    text_ += rest;
    choice = {.text = text_, .tokens = drawn.tokens, .log_probs = drawn.log_probs};
    choice.is_stopped = drawn.is_stopped || has_ended();
    // The stop token behind a stop text was not the model's choice.
    if (is_forced_ && drawn.is_stopped) {
      choice.tokens.pop_back();
      choice.log_probs.pop_back();
    }
    return told + rest;
  }

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

}  // namespace

grammar::TokenMasks& MaskStore::masks_of(const std::string& schema, const grammar::Grammar& grammar,
                                         const std::shared_ptr<const grammar::Vocabulary>& vocabulary) {
  if (masks_.size() >= kMaxSchemas && masks_.count(schema) == 0) {
    masks_.clear();
  }
  std::unique_ptr<grammar::TokenMasks>& masks = masks_[schema];
  if (masks == nullptr) {
    masks = std::make_unique<grammar::TokenMasks>(grammar, vocabulary);
  }
  return *masks;
}

Result<Drawing> Drawing::prepare(const ModelText& text, CompletionRequest request) {
  Drawing drawing(text, std::move(request));
  STITCH_ASSIGN(drawing.draw_.prompt, encode_prompt(text, drawing.request_.prompt));
  STITCH_TRY(drawing.read_limits());
  if (!drawing.request_.schema.empty()) {
    if (!text.vocabulary.has_value()) {
      return failure(text.vocabulary.error());
    }
    STITCH_ASSIGN(const Json schema, parse_json(drawing.request_.schema, "the schema"));
    STITCH_ASSIGN(drawing.grammar_, grammar::read_schema(schema));
  }
  return drawing;
}

Result<void> Drawing::read_limits() {
  const Sampling& sampling = request_.sampling;
  const auto length = static_cast<int64_t>(draw_.prompt.size());
  const int64_t least = sampling.max_tokens.value_or(1);
  if (length == 0) {
    return failure(ErrorCode::kUsage, "the prompt has no token");
  }
  if (length + least > text_->context) {
    return failure(ErrorCode::kUsage,
                   fmt::format("the model's context length is {} tokens; the prompt has {}, and max_tokens asks for {}",
                               text_->context, length, least));
  }
  const int64_t left = text_->context - length;
  const int64_t usual = text_->default_tokens == 0 ? left : std::min(text_->default_tokens, left);
  draw_.max_tokens = sampling.max_tokens.value_or(usual);
  draw_.stop_tokens = text_->stop_tokens;
  for (const int64_t stop : sampling.stop_tokens) {
    if (stop < 0 || stop >= text_->vocab) {
      return failure(ErrorCode::kUsage,
                     fmt::format("'stop_token_ids' has token {} of a vocabulary of {}", stop, text_->vocab));
    }
    draw_.stop_tokens.push_back(stop);
  }
  draw_.model = request_.model;
  draw_.temperature = sampling.temperature;
  draw_.top_p = sampling.top_p;
  draw_.top_k = sampling.top_k;
  draw_.count = sampling.count;
  draw_.seed = sampling.seed.has_value() ? *sampling.seed : drawn_seed();
  return {};
}

Result<std::vector<Choice>> Drawing::run(Engine& engine, MaskStore& masks, const Told& told,
                                         const std::atomic<bool>& is_over) {
  grammar::TokenMasks* grammar =
      grammar_.has_value() ? &masks.masks_of(request_.schema, *grammar_, *text_->vocabulary) : nullptr;
  std::deque<Writing> writings;
  for (int64_t i = 0; i < draw_.count; ++i) {
    writings.emplace_back(*text_, request_.sampling, draw_.stop_tokens, grammar);
  }
  const auto tell = [&](size_t choice, const std::string& text) {
    if (!text.empty()) {
      told(choice, text);
    }
  };
  STITCH_ASSIGN(const std::vector<Drawn> drawn, engine.draw(draw_, [&](size_t sample, std::span<const int64_t> tokens) {
    tell(sample, writings[sample].take(tokens));
    return writings[sample].allowed(is_over);
  }));
  STITCH_CHECK(drawn.size() == writings.size()) << "the engine answered another number of samples";
  std::vector<Choice> choices(drawn.size());
  for (size_t i = 0; i < drawn.size(); ++i) {
    tell(i, writings[i].finish(drawn[i], choices[i]));
  }
  return choices;
}

}  // namespace stitch::completions
