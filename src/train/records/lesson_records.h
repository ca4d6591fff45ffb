// SPDX-License-Identifier: Apache-2.0
// Lessons (`stitchcuda.lesson/1`, docs/formats.md) as records: the question, as a chat template puts it, is the prompt;
// the answer and the end of its turn are the response, which alone is learned.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "base/error/result.h"
#include "base/json/json_forward.h"
#include "tokens/chat/chat.h"
#include "train/records/training_record.h"

namespace stitch::train {

enum class WhichLessons { kPositive, kAll };  // those that are to be imitated, or the others, too

struct LessonSource {
  std::filesystem::path tokenizer{};  // a tokenizer.json, or a file that ends in .gguf and holds one
  tokens::ChatTemplate chat = tokens::ChatTemplate::kChatMl;
  WhichLessons which = WhichLessons::kPositive;
};

// How many lessons of a file became no record, and why. One is counted once, by the first reason that applies.
struct LessonsLeftOut {
  int64_t not_positive = 0;
  int64_t with_tools = 0;  // its messages call tools, or hold their answers: templates differ in whether they know them
  int64_t too_long = 0;    // in tokens; none is cut
};
Json to_json(const LessonsLeftOut& left_out);

struct LessonFile {
  RecordFile file;
  LessonsLeftOut left_out;
};

// Whether messages call tools, or are their answers.
bool has_tools(const Json& messages);

class LessonReader {
 public:
  // `vocab` is the model's: kUsage for a tokenizer that has more tokens. kFileInvalid for one without the template's
  // control tokens.
  static Result<LessonReader> open(const LessonSource& source, int64_t vocab);

  // Records of at most `max_tokens` tokens, in the file's order; of RecordKind::kPrompt the prompts alone.
  // kFileInvalid, with the line, for what is no lesson, and for a file of which nothing is left.
  Result<LessonFile> read(const std::filesystem::path& path, int64_t max_tokens,
                          RecordKind kind = RecordKind::kTraining) const;

  // The ids of a question: messages ({"role", "content"}) as the template puts them, up to where the assistant begins.
  // kFileInvalid for what is no such list, or is empty.
  Result<std::vector<int64_t>> prompt_of(const Json& messages) const;
  // Of an answer: its text and the end of its turn.
  Result<std::vector<int64_t>> answer_of(const std::string& answer) const;
  // Of what follows the end of an answer's turn where the user says `content`, up to where the assistant begins again.
  Result<std::vector<int64_t>> next_turn_of(const std::string& content) const;

  // What a response says, without control tokens.
  std::string text_of(const std::vector<int64_t>& response) const { return tokenizer_.decode(response, true); }
  int64_t end_of_turn() const { return end_of_turn_; }
  const std::string& tokenizer_sha256() const { return sha256_; }

 private:
  friend class LessonLines;
  LessonReader(LessonSource source, tokens::Tokenizer tokenizer, std::string sha256)
      : source_(std::move(source)), tokenizer_(std::move(tokenizer)), sha256_(std::move(sha256)) {}

  LessonSource source_;
  tokens::Tokenizer tokenizer_;
  std::string sha256_;
  int64_t end_of_turn_ = 0;
};

}  // namespace stitch::train
