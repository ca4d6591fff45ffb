// SPDX-License-Identifier: Apache-2.0
// What a model is asked in a run that learns from rewards: questions of tasks, for either skill.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/error/result.h"
#include "base/json/json_forward.h"
#include "rewards/evaluator.h"
#include "train/records/lesson_records.h"
#include "train/settings/section.h"

namespace stitch::train {

struct Prompt {
  std::vector<int64_t> ids;
  std::string task{};
  rewards::Skill skill = rewards::Skill::kScratch;
  std::string key{};  // 16 hexadecimal digits that follow from task and ids
  std::string previous_sha256{}, feedback_sha256{};
  std::string messages{};  // JSON, as the line has them; empty where it has ids alone
};

struct PromptsLeftOut {
  int64_t with_tools = 0;
  int64_t too_long = 0;
  int64_t same = 0;  // the same question of the same task stands in an earlier line
};

struct PromptFile {
  std::vector<Prompt> prompts;
  std::string sha256;  // of the file
  PromptsLeftOut left_out;
};
Json to_json(const PromptFile& file);  // {"prompts": 3, "left_out": {...}}

// "prompts": {"train": FILE, "held_out": FILE, "tokenizer": FILE, "template": "chatml", "max_tokens": N}.
struct PromptSettings {
  std::string train{}, held_out{};  // the second may be empty
  LessonSource source{};
  int64_t max_tokens = 2048;  // a longer prompt is left out
};
void read_prompt_settings(Section& parent, PromptSettings& settings);

// A line is an object with "task", "skill" ("scratch" unless it is there, or "refinement") and either "messages", as a
// lesson has them, or "prompt_ids"; of "context" its "previous_sha256" and "feedback_sha256" are handed on. Other
// members, a lesson's answer among them, are not read. kFileInvalid, with the line, for what is none, and for a file of
// which nothing is left. `vocab` is the model's.
Result<PromptFile> read_prompt_file(const LessonReader& reader, const std::filesystem::path& path, int64_t vocab,
                                    int64_t max_tokens);

}  // namespace stitch::train
