// SPDX-License-Identifier: Apache-2.0
// What a run learns from, as its configuration names it: files of records, or of lessons.
#pragma once

#include <optional>
#include <string>

#include "base/error/result.h"
#include "base/json/json_forward.h"
#include "train/records/lesson_records.h"
#include "train/settings/section.h"

namespace stitch::train {

// "lessons": {"tokenizer": FILE, "template": "chatml", "which": "positive"} of `parent`; none where it is not there:
// then files hold records. The path is as it was written, and `usual` is what "which" is when it is left out.
std::optional<LessonSource> read_lesson_source(Section& parent, WhichLessons usual);

// With its tokenizer's path relative to `base`.
Result<LessonReader> open_lessons(LessonSource source, const std::filesystem::path& base, int64_t vocab);

struct DataSettings {
  std::string train{}, held_out{};  // files, relative to the configuration's folder; the second may be empty
  int64_t max_tokens = 2048;        // a longer record is an error, a longer lesson is left out
  std::optional<LessonSource> lessons{};
};

void read_data_settings(Section& section, DataSettings& settings);

struct TrainingData {
  RecordFile train, held_out;
  std::string tokenizer_sha256{};  // of lessons
  std::optional<LessonsLeftOut> train_left_out{}, held_out_left_out{};

  // What a run is known by, which goes on with no others: SHA-256 of each file.
  Json inputs() const;
  // How many records there are and how many lessons were left out, by file; null where the files hold records.
  Json counts() const;
};

Result<TrainingData> read_training_data(const DataSettings& settings, const std::filesystem::path& base, int64_t vocab,
                                        int64_t max_positions);

}  // namespace stitch::train
