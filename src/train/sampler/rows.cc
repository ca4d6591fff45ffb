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

Result<std::vector<Row>> read_prompt(const Decoder& decoder, const std::vector<int64_t>& prompt, int64_t count,
                                     const SampleSettings& settings) {
  const SampleRequest request{prompt, 0};
  STITCH_TRY(check_requests(decoder.config(), {&request, 1}));
  std::vector<Row> rows(static_cast<size_t>(count));
  for (size_t i = 0; i < rows.size(); ++i) {
    rows[i].stream = i;
    rows[i].has_ended = settings.max_tokens <= 0;
  }
  if (rows.empty() || settings.max_tokens <= 0) {
    return rows;
  }
  const at::NoGradGuard no_gradients;
  const auto length = static_cast<int64_t>(prompt.size());
  KvCache cache = decoder.make_cache(1, length + std::min(settings.max_tokens, kFirstRoom));
  Pass pass;
  pass.cache = &cache;
  pass.adapter = settings.adapter;
  const Tensor tokens = at::tensor(prompt, at::kLong).unsqueeze(0).to(decoder.head().device());
  const Tensor states = decoder.hidden(tokens, pass);
  const Tensor logits = decoder.logits(states.select(1, length - 1)).to(at::kFloat);
  for (Row& row : rows) {
    row.logits = logits;
    row.cache = &row == &rows.back() ? std::move(cache) : copy_of(cache);
  }
  return rows;
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
