// SPDX-License-Identifier: Apache-2.0
#include "train/loop/training_data.h"

#include <algorithm>

#include "base/json/json.h"

namespace stitch::train {
namespace {

Json counts_of(const RecordFile& file, const LessonsLeftOut& left_out) {
  return {{"records", file.records.size()}, {"left_out", to_json(left_out)}};
}

}  // namespace

std::optional<LessonSource> read_lesson_source(Section& parent, WhichLessons usual) {
  if (!parent.has("lessons")) {
    return std::nullopt;
  }
  LessonSource source;
  Section section = parent.child("lessons");
  std::string tokenizer;
  section.require("tokenizer");
  section.read("tokenizer", tokenizer);
  source.tokenizer = tokenizer;
  auto chat = static_cast<size_t>(source.chat);
  section.read("template", chat, {"chatml", "smollm2", "qwen3"});  // in the order of tokens::ChatTemplate
  source.chat = static_cast<tokens::ChatTemplate>(chat);
  auto which = static_cast<size_t>(usual);
  section.read("which", which, {"positive", "all"});
  source.which = static_cast<WhichLessons>(which);
  parent.add(std::move(section));
  return source;
}

Result<LessonReader> open_lessons(LessonSource source, const std::filesystem::path& base, int64_t vocab) {
  source.tokenizer = base / source.tokenizer;
  return LessonReader::open(source, vocab);
}

void read_data_settings(Section& section, DataSettings& settings) {
  constexpr int64_t kMaxTokens = int64_t{1} << 24;
  section.require("train");
  section.read("train", settings.train);
  section.read("held_out", settings.held_out);
  section.read("max_tokens", settings.max_tokens, 2, kMaxTokens);
  settings.lessons = read_lesson_source(section, WhichLessons::kPositive);
}

Json TrainingData::inputs() const {
  Json inputs = {{"train", train.sha256}, {"held_out", held_out.sha256}};
  if (!tokenizer_sha256.empty()) {
    inputs["tokenizer"] = tokenizer_sha256;
  }
  return inputs;
}

Json TrainingData::counts() const {
  Json counts;
  if (train_left_out.has_value()) {
    counts["train"] = counts_of(train, *train_left_out);
  }
  if (held_out_left_out.has_value()) {
    counts["held_out"] = counts_of(held_out, *held_out_left_out);
  }
  return counts;
}

Result<TrainingData> read_training_data(const DataSettings& settings, const std::filesystem::path& base, int64_t vocab,
                                        int64_t max_positions) {
  const int64_t most = std::min(settings.max_tokens, max_positions);
  TrainingData data;
  if (!settings.lessons.has_value()) {
    STITCH_ASSIGN(data.train, read_records(base / settings.train, vocab, most));
    if (!settings.held_out.empty()) {
      STITCH_ASSIGN(data.held_out, read_records(base / settings.held_out, vocab, most));
    }
    return data;
  }
  STITCH_ASSIGN(const LessonReader reader, open_lessons(*settings.lessons, base, vocab));
  data.tokenizer_sha256 = reader.tokenizer_sha256();
  STITCH_ASSIGN(LessonFile train, reader.read(base / settings.train, most));
  data.train = std::move(train.file);
  data.train_left_out = train.left_out;
  if (!settings.held_out.empty()) {
    STITCH_ASSIGN(LessonFile held_out, reader.read(base / settings.held_out, most));
    data.held_out = std::move(held_out.file);
    data.held_out_left_out = held_out.left_out;
  }
  return data;
}

}  // namespace stitch::train
