// SPDX-License-Identifier: Apache-2.0
// Makes a tokenizer from texts: small ones, for models that are trained from nothing.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/error/result.h"
#include "tokens/split/splitter.h"

namespace stitch::tokens {

struct TrainTokenizerOptions {
  int64_t vocab_size = 8192;  // special tokens and the 256 bytes included
  int64_t min_count = 2;      // of a pair that is merged
  std::vector<std::string> special_tokens = {"<|endoftext|>", "<|im_start|>", "<|im_end|>"};  // get the first ids
  bool is_composed = false;                                                                   // normalised to form C
  bool splits_digits = true;  // each digit is a token, as SmolLM2 and Qwen have it
};

class TokenizerTrainer {
 public:
  // kUsage where the vocabulary has no room for bytes and special tokens, or one of these is empty or given twice.
  static Result<TokenizerTrainer> make(TrainTokenizerOptions options);

  // Counts the words of a text, one sample of what will be encoded. Bytes that are no UTF-8 become U+FFFD.
  Result<void> add(std::string_view text);

  // A tokenizer.json. What was added before decides alone: the same texts give the same bytes, in whatever order.
  std::string tokenizer_json() const;

 private:
  explicit TokenizerTrainer(TrainTokenizerOptions options) : options_(std::move(options)) {}
  TrainTokenizerOptions options_;
  Splitter splitter_;
  std::map<std::string, int64_t> words_;
};

}  // namespace stitch::tokens
