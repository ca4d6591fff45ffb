// SPDX-License-Identifier: Apache-2.0
#include "train/sampler/rows.h"

#include <algorithm>
#include <limits>

namespace stitch::train {
namespace {

// Room for so many tokens behind a prompt before keys and values are copied to a larger place.
constexpr int64_t kFirstRoom = 64;

KvCache copy_of(const KvCache& cache) {
  KvCache copy;
  for (const LayerCache& layer : cache.layers) {
    copy.layers.push_back({layer.keys.clone(), layer.values.clone(), layer.filled});
  }
  return copy;
}

}  // namespace

Result<PromptReading> PromptReading::begin(const Decoder& decoder, std::vector<int64_t> prompt, int64_t count,
                                           const SampleSettings& settings, int64_t piece) {
  const SampleRequest request{prompt, 0};
  STITCH_TRY(check_requests(decoder.config(), {&request, 1}));
  PromptReading reading;
  reading.rows_.resize(static_cast<size_t>(count));
  for (size_t i = 0; i < reading.rows_.size(); ++i) {
    reading.rows_[i].stream = i;
    reading.rows_[i].has_ended = settings.max_tokens <= 0;
  }
  const auto length = static_cast<int64_t>(prompt.size());
  reading.prompt_ = std::move(prompt);
  reading.piece_ = piece;
  reading.adapter_ = settings.adapter;
  if (reading.rows_.empty() || settings.max_tokens <= 0) {
    reading.read_ = length;
  } else {
    reading.cache_ = decoder.make_cache(1, length + std::min(settings.max_tokens, kFirstRoom));
  }
  return reading;
}

void PromptReading::read_piece(const Decoder& decoder) {
  const at::NoGradGuard no_gradients;
  const int64_t fresh = std::min(piece_, static_cast<int64_t>(prompt_.size()) - read_);
  const auto first = prompt_.begin() + read_;
  const Tensor tokens =
      at::tensor(std::vector<int64_t>(first, first + fresh), at::kLong).unsqueeze(0).to(decoder.head().device());
  Pass pass;
  pass.cache = &cache_;
  pass.adapter = adapter_;
  if (read_ > 0 && fresh > 1) {  // each reads all before the piece, and in it what comes up to itself
    pass.allowed = at::ones({1, 1, fresh, read_ + fresh}, tokens.options().dtype(at::kBool)).tril(read_);
  }
  const Tensor states = decoder.hidden(tokens, pass);
  read_ += fresh;
  if (has_ended()) {
    logits_ = decoder.logits(states.select(1, fresh - 1)).to(at::kFloat);
  }
}

std::vector<Row> PromptReading::rows() {
  STITCH_CHECK(has_ended()) << "rows begin behind their whole prompt";
  for (Row& row : rows_) {
    if (!row.has_ended) {
      row.logits = logits_;
      row.cache = &row == &rows_.back() ? std::move(cache_) : copy_of(cache_);
    }
  }
  return std::move(rows_);
}

Result<std::vector<Row>> read_prompt(const Decoder& decoder, const std::vector<int64_t>& prompt, int64_t count,
                                     const SampleSettings& settings) {
  STITCH_ASSIGN(PromptReading reading, PromptReading::begin(decoder, prompt, count, settings));
  while (!reading.has_ended()) {
    reading.read_piece(decoder);
  }
  return reading.rows();
}

Result<void> draw_token(const Decoder& decoder, const SampleSettings& settings, const Tensor& allowed, Row& row) {
  STITCH_CHECK(!row.has_ended && row.logits.defined()) << "a row is drawn for once its last token was read";
  const at::NoGradGuard no_gradients;
  Tensor logits = std::exchange(row.logits, Tensor());
  if (!at::isfinite(logits).all().item<bool>()) {
    return failure(ErrorCode::kEnvironment, "the model's logits are not finite", "",
                   "its weights have diverged: go back to an earlier checkpoint");
  }
  if (allowed.defined()) {
    if (!allowed.any().item<bool>()) {
      return failure(ErrorCode::kFileInvalid, "no token may follow in sample " + std::to_string(row.stream),
                     "sample " + std::to_string(row.stream), "change the grammar");
    }
    logits = logits.masked_fill(~allowed.to(logits.device()), -std::numeric_limits<double>::infinity());
  }
  Sample& sample = row.sample;
  const Tensor log_probs = drawn_from(logits, settings.restriction);
  const double uniform = uniform_of(settings.seed, row.stream, sample.tokens.size());
  const Tensor chosen = settings.restriction.temperature > 0
                            ? draw(log_probs, at::full({1}, uniform, logits.options().dtype(at::kDouble)))
                            : log_probs.argmax(-1);
  const auto token = chosen.item<int64_t>();
  sample.tokens.push_back(token);
  sample.log_probs.push_back(log_probs[0][token].item<float>());
  const auto& stops = settings.stop_tokens;
  if (std::find(stops.begin(), stops.end(), token) != stops.end()) {
    sample.finish_reason = FinishReason::kStop;
  }
  const int64_t length = row.cache.layers.front().filled + 1;  // this token is not read yet
  row.has_ended = sample.finish_reason == FinishReason::kStop ||
                  static_cast<int64_t>(sample.tokens.size()) >= settings.max_tokens ||
                  length >= decoder.config().max_positions;
  return {};
}

void read_tokens(const Decoder& decoder, std::span<Row* const> rows, bool adapter) {
  const at::NoGradGuard no_gradients;
  std::vector<int64_t> last;
  Pass pass;
  pass.adapter = adapter;
  for (Row* row : rows) {
    last.push_back(row->sample.tokens.back());
    pass.row_caches.push_back(&row->cache);
  }
  const Tensor tokens = at::tensor(last, at::kLong).unsqueeze(1).to(decoder.head().device());
  const Tensor logits = decoder.logits(decoder.hidden(tokens, pass).select(1, 0)).to(at::kFloat);
  for (size_t i = 0; i < rows.size(); ++i) {
    rows[i]->logits = logits.narrow(0, static_cast<int64_t>(i), 1);
  }
}

}  // namespace stitch::train
