// SPDX-License-Identifier: Apache-2.0
#include "completions/run/drawing.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/json/json.h"
#include "base/seed/seed.h"
#include "grammar/schema/read_schema.h"

namespace stitch::completions {
namespace {

constexpr size_t kMaxSchemas = 16;

}  // namespace

std::shared_ptr<grammar::TokenMasks> MaskStore::masks_of(const std::string& schema, const grammar::Grammar& grammar,
                                                         const std::shared_ptr<const grammar::Vocabulary>& vocabulary) {
  if (masks_.size() >= kMaxSchemas && masks_.count(schema) == 0) {
    masks_.clear();
  }
  std::shared_ptr<grammar::TokenMasks>& masks = masks_[schema];
  if (masks == nullptr) {
    masks = std::make_shared<grammar::TokenMasks>(grammar, vocabulary);
  }
  return masks;
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

Result<DrawId> Drawing::begin(Engine& engine, MaskStore& masks, Told told, const std::atomic<bool>& is_over) {
  masks_ = grammar_.has_value() ? masks.masks_of(request_.schema, *grammar_, *text_->vocabulary) : nullptr;
  for (int64_t i = 0; i < draw_.count; ++i) {
    writings_.emplace_back(*text_, request_.sampling, draw_.stop_tokens, masks_.get());
  }
  told_ = std::move(told);
  return engine.begin(draw_, [this, &is_over](size_t sample, std::span<const int64_t> tokens) {
    tell(sample, writings_[sample].take(tokens));
    return writings_[sample].allowed(is_over);
  });
}

std::vector<Choice> Drawing::finish(const std::vector<Drawn>& drawn) {
  STITCH_CHECK(drawn.size() == writings_.size()) << "the engine answered another number of samples";
  std::vector<Choice> choices(drawn.size());
  for (size_t i = 0; i < drawn.size(); ++i) {
    tell(i, writings_[i].finish(drawn[i], choices[i]));
  }
  return choices;
}

void Drawing::tell(size_t choice, const std::string& text) const {
  if (!text.empty()) {
    told_(choice, text);
  }
}

}  // namespace stitch::completions
