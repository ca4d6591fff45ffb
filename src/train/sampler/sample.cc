// SPDX-License-Identifier: Apache-2.0
#include "train/sampler/sample.h"

#include <algorithm>
#include <limits>
#include <string>

namespace stitch::train {
namespace {

// The rows that are still drawn for. Prompts are filled up in front, so that all rows end in the same column.
class Batch {
 public:
  Batch(const Decoder& decoder, std::span<const SampleRequest> requests, const SampleSettings& settings)
      : decoder_(decoder), requests_(requests), settings_(settings), samples_(requests.size()) {
    int64_t shortest = decoder.config().max_positions;
    for (size_t i = 0; i < requests.size(); ++i) {
      rows_.push_back(i);
      width_ = std::max(width_, static_cast<int64_t>(requests[i].prompt.size()));
      shortest = std::min(shortest, static_cast<int64_t>(requests[i].prompt.size()));
    }
    const auto& weight = decoder.head();
    options_ = at::TensorOptions().dtype(at::kLong).device(weight.device());
    const auto size = static_cast<int64_t>(rows_.size());
    Tensor tokens = at::zeros({size, width_}, at::kLong);
    Tensor padding = at::zeros({size}, at::kLong);
    for (size_t i = 0; i < requests.size(); ++i) {
      const auto& prompt = requests[i].prompt;
      const int64_t filled = width_ - static_cast<int64_t>(prompt.size());
      const auto row = static_cast<int64_t>(i);
      std::copy(prompt.begin(), prompt.end(), tokens.data_ptr<int64_t>() + row * width_ + filled);
      padding.data_ptr<int64_t>()[row] = filled;
      is_ragged_ = is_ragged_ || filled > 0;
    }
    tokens_ = tokens.to(options_.device());
    padding_ = padding.to(options_.device());
    // A sample ends where the model has no position left.
    const int64_t longest = std::min(settings.max_tokens, decoder.config().max_positions - shortest);
    cache_ = decoder.make_cache(size, width_ + longest);
  }

  bool is_done() const { return rows_.empty(); }

  // Logits of what follows, [rows, vocab].
  Tensor next_logits() {
    const int64_t before = cache_.layers.front().filled;
    const int64_t fresh = tokens_.size(1);
    const Tensor columns = at::arange(before, before + fresh, options_);
    Pass pass;
    pass.cache = &cache_;
    pass.adapter = settings_.adapter;
    if (is_ragged_) {
      pass.positions = (columns.unsqueeze(0) - padding_.unsqueeze(1)).clamp_min(0);
      const Tensor keys = at::arange(before + fresh, options_);
      const Tensor filled_up = keys.view({1, 1, 1, -1}) < padding_.view({-1, 1, 1, 1});
      const Tensor earlier = keys.unsqueeze(0) <= columns.unsqueeze(1);
      // What fills up reads itself, since a row of softmax over nothing is NaN.
      pass.allowed = (earlier & ~filled_up) | (keys.unsqueeze(0) == columns.unsqueeze(1));
    }
    const Tensor states = decoder_.hidden(tokens_, pass);
    return decoder_.logits(states.select(1, fresh - 1)).to(at::kFloat);
  }

  Result<void> apply_mask(Tensor& logits, const TokenMask& mask) const {
    for (size_t row = 0; row < rows_.size(); ++row) {
      const Tensor allowed = finished_[row] ? Tensor() : mask(rows_[row], samples_[rows_[row]].tokens);
      if (!allowed.defined()) {
        continue;
      }
      if (!allowed.any().item<bool>()) {
        return failure(ErrorCode::kFileInvalid, "no token may follow in sample " + std::to_string(rows_[row]),
                       "sample " + std::to_string(rows_[row]), "change the grammar");
      }
      logits[static_cast<int64_t>(row)].masked_fill_(~allowed.to(logits.device()),
                                                     -std::numeric_limits<double>::infinity());
    }
    return {};
  }

  Result<void> step(const TokenMask& mask) {
    finished_.resize(rows_.size(), false);
    Tensor logits = next_logits();
    if (!at::isfinite(logits).all().item<bool>()) {
      return failure(ErrorCode::kEnvironment, "the model's logits are not finite", "",
                     "its weights have diverged: go back to an earlier checkpoint");
    }
    if (mask) {
      STITCH_TRY(apply_mask(logits, mask));
    }
    const Tensor log_probs = drawn_from(logits, settings_.restriction);
    const Tensor chosen = settings_.restriction.temperature > 0 ? draw(log_probs, uniforms()) : log_probs.argmax(-1);
    take(chosen.cpu().contiguous(), log_probs.gather(-1, chosen.unsqueeze(-1)).squeeze(-1).cpu().contiguous());
    tokens_ = chosen.unsqueeze(-1);
    compact();
    return {};
  }

  std::vector<Sample> samples() && { return std::move(samples_); }

 private:
  Tensor uniforms() const {
    Tensor drawn = at::zeros({static_cast<int64_t>(rows_.size())}, at::kDouble);
    double* values = drawn.data_ptr<double>();
    for (size_t row = 0; row < rows_.size(); ++row) {
      const size_t step = samples_[rows_[row]].tokens.size();
      values[row] = uniform_of(settings_.seed, requests_[rows_[row]].stream, step);
    }
    return drawn.to(options_.device());
  }

  // Both [rows], on the CPU.
  void take(const Tensor& chosen, const Tensor& log_probs) {
    const int64_t* tokens = chosen.data_ptr<int64_t>();
    const float* values = log_probs.data_ptr<float>();
    for (size_t row = 0; row < rows_.size(); ++row) {
      if (finished_[row]) {
        continue;
      }
      Sample& sample = samples_[rows_[row]];
      const int64_t token = tokens[row];
      sample.tokens.push_back(token);
      sample.log_probs.push_back(values[row]);
      const auto& stops = settings_.stop_tokens;
      if (std::find(stops.begin(), stops.end(), token) != stops.end()) {
        sample.finish_reason = FinishReason::kStop;
      }
      const auto length = static_cast<int64_t>(requests_[rows_[row]].prompt.size() + sample.tokens.size());
      finished_[row] = sample.finish_reason == FinishReason::kStop ||
                       static_cast<int64_t>(sample.tokens.size()) >= settings_.max_tokens ||
                       length >= decoder_.config().max_positions;
    }
  }

  // Leaves finished rows behind once they are half of the batch: copying the cache has its price, too.
  void compact() {
    std::vector<int64_t> stay;
    for (size_t row = 0; row < rows_.size(); ++row) {
      if (!finished_[row]) {
        stay.push_back(static_cast<int64_t>(row));
      }
    }
    if (stay.size() * 2 > rows_.size()) {
      return;
    }
    const Tensor index = at::tensor(stay, at::kLong).to(options_.device());
    std::vector<size_t> rows;
    for (const int64_t row : stay) {
      rows.push_back(rows_[static_cast<size_t>(row)]);
    }
    rows_ = std::move(rows);
    finished_.assign(rows_.size(), false);
    tokens_ = tokens_.index_select(0, index);
    padding_ = padding_.index_select(0, index);
    for (LayerCache& layer : cache_.layers) {
      layer.keys = layer.keys.index_select(0, index);
      layer.values = layer.values.index_select(0, index);
    }
  }

  const Decoder& decoder_;
  std::span<const SampleRequest> requests_;
  const SampleSettings& settings_;
  std::vector<Sample> samples_;
  std::vector<size_t> rows_;  // the request that each row is of
  std::vector<bool> finished_;
  int64_t width_ = 0;
  bool is_ragged_ = false;
  at::TensorOptions options_;
  Tensor tokens_, padding_;  // [rows, fresh tokens], and how many columns are filled up: [rows]
  KvCache cache_;
};

}  // namespace

Result<void> check_requests(const weights::ModelConfig& config, std::span<const SampleRequest> requests) {
  for (size_t i = 0; i < requests.size(); ++i) {
    const auto& prompt = requests[i].prompt;
    const std::string which = "prompt " + std::to_string(i);
    if (prompt.empty()) {
      return failure(ErrorCode::kUsage, which + " is empty", which, "begin it with a token");
    }
    for (const int64_t token : prompt) {
      if (token < 0 || token >= config.vocab_size) {
        return failure(
            ErrorCode::kUsage,
            which + " has token " + std::to_string(token) + " of a vocabulary of " + std::to_string(config.vocab_size),
            which, "use the tokenizer of this model");
      }
    }
    if (static_cast<int64_t>(prompt.size()) >= config.max_positions) {
      return failure(ErrorCode::kUsage,
                     which + " has " + std::to_string(prompt.size()) + " tokens, and the model has " +
                         std::to_string(config.max_positions) + " positions",
                     which, "shorten it");
    }
  }
  return {};
}

Result<std::vector<Sample>> sample(const Decoder& decoder, std::span<const SampleRequest> requests,
                                   const SampleSettings& settings, const TokenMask& mask) {
  STITCH_TRY(check_requests(decoder.config(), requests));
  if (requests.empty() || settings.max_tokens <= 0) {
    return std::vector<Sample>(requests.size());
  }
  const at::NoGradGuard no_gradients;
  Batch batch(decoder, requests, settings);
  while (!batch.is_done()) {
    STITCH_TRY(batch.step(mask));
  }
  return std::move(batch).samples();
}

}  // namespace stitch::train
