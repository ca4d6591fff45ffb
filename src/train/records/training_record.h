// SPDX-License-Identifier: Apache-2.0
// What is learned from: a prompt and a response, as token ids, one JSON object a line.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/error/result.h"
#include "train/torch/torch.h"

namespace stitch::train {

struct TrainingRecord {
  std::vector<int64_t> prompt;
  std::vector<int64_t> response;
  std::vector<bool> mask;  // which of the response the model wrote: not those that a tool did
};

// Which records are read: for training, or prompts alone, whose "response_ids" are not.
enum class RecordKind { kTraining, kPrompt };

struct RecordFile {
  std::vector<TrainingRecord> records;
  std::string sha256;  // of the file
};

// "prompt_ids", "response_ids" and, where it is there, "response_mask" of each line; other members are not read.
// kFileInvalid, with the line, for a token outside of [0, vocab), for a record longer than `max_tokens`, and for a file
// without records.
Result<RecordFile> read_records(const std::filesystem::path& path, int64_t vocab, int64_t max_tokens,
                                RecordKind kind = RecordKind::kTraining);

// Records side by side, filled up at their end.
struct RecordBatch {
  Tensor tokens;  // int64 [records, tokens]
  Tensor wanted;  // bool [records, tokens - 1]: which of tokens 1, 2, ... are learned
};
RecordBatch batch_of(const std::vector<const TrainingRecord*>& records);

// How many tokens of it are learned: those of the response whose mask is set, but never a first token, which nothing
// comes before.
int64_t learned_tokens(const TrainingRecord& record);

}  // namespace stitch::train
