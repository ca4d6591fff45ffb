// SPDX-License-Identifier: Apache-2.0
// Samples that are drawn for together although each comes and goes when it will: every one has keys, values and
// settings of its own, and one pass over the weights goes on with all of them.
#pragma once

#include <span>
#include <vector>

#include "base/error/result.h"
#include "train/sampler/sample.h"

namespace stitch::train {

struct Row {
  uint64_t stream = 0;
  Sample sample{};
  bool has_ended = false;
  KvCache cache{};  // of the prompt and of what was read of the sample
  Tensor logits{};  // of what follows, fp32 [1, vocab]; undefined until the last token was read
};

// A prompt on its way into keys and values, piece by piece, so that other rows may go on between two pieces.
class PromptReading {
 public:
  static constexpr int64_t kPiece = 512;  // tokens

  // For the streams 0 ... count - 1; nothing is read yet. Errors as sample().
  static Result<PromptReading> begin(const Decoder& decoder, std::vector<int64_t> prompt, int64_t count,
                                     const SampleSettings& settings, int64_t piece = kPiece);

  bool has_ended() const { return read_ == static_cast<int64_t>(prompt_.size()); }
  // The next tokens, at most a piece of them.
  void read_piece(const Decoder& decoder);
  // Once it has ended: a row for each stream.
  std::vector<Row> rows();

 private:
  std::vector<int64_t> prompt_{};
  int64_t read_ = 0;
  int64_t piece_ = kPiece;
  bool adapter_ = true;
  std::vector<Row> rows_{};
  KvCache cache_{};
  Tensor logits_{};
};

// Reads the prompt, once for all: a row for each of the streams 0 ... count - 1. Errors as sample().
Result<std::vector<Row>> read_prompt(const Decoder& decoder, const std::vector<int64_t>& prompt, int64_t count,
                                     const SampleSettings& settings);

// Draws the row's next token, which ends it where sample() would. `allowed`: bool [vocab], undefined for all. Errors as
// sample().
Result<void> draw_token(const Decoder& decoder, const SampleSettings& settings, const Tensor& allowed, Row& row);

// Reads the last tokens of rows that have not ended.
void read_tokens(const Decoder& decoder, std::span<Row* const> rows, bool adapter = true);

}  // namespace stitch::train
