// SPDX-License-Identifier: Apache-2.0
// Learns merges from counted words.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tokens/bpe/bpe.h"

namespace stitch::tokens {

struct TrainBpeOptions {
  int64_t vocab_size = 0;                   // special tokens and the 256 bytes included
  int64_t min_count = 2;                    // of a pair that is merged
  std::vector<std::string> special_tokens;  // get the first ids
};

// `words`: raw bytes to how often they occur, less than 2^31 in all. The result is that of Hugging Face's BpeTrainer
// with the byte alphabet as initial one: the most frequent pair is merged next, of equals the one of the smallest ids.
BpeTables train_bpe(const std::map<std::string, int64_t>& words, const TrainBpeOptions& options);

}  // namespace stitch::tokens
