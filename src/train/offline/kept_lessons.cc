// SPDX-License-Identifier: Apache-2.0
#include "train/offline/kept_lessons.h"

#include "base/fs/files.h"
#include "base/hash/sha256.h"
#include "base/json/json.h"
#include "base/json/json_line.h"

namespace stitch::train {
namespace {

std::string dumped(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

Json lesson_of(const RolloutRecord& record, const LoopSettings& loop) {
  const Json messages = Json::parse(record.messages, nullptr, false);
  Json lesson = {{"schema", "stitchcuda.lesson/1"}};
  lesson["id"] = sha256_hex(dumped(Json{messages, record.text}));
  lesson["task"] = record.task;
  lesson["split"] = "train";
  lesson["skill"] = record.skill;
  lesson["messages"] = messages;
  lesson["answer"] = record.text;
  lesson["verdict"] = {{"outcome", record.is_pass ? "right" : record.outcome}};
  lesson["is_positive"] = true;
  lesson["rewards"] = {{"reward", *record.reward}};
  lesson["model"] = loop.model.path.empty() ? loop.model.config : loop.model.path;
  lesson["run"] = std::filesystem::path(loop.run).filename().string();
  return lesson;
}

}  // namespace

Result<int64_t> write_lessons(const std::filesystem::path& path, const RolloutFile& file,
                              const std::vector<size_t>& places, const LoopSettings& loop) {
  std::string lines;
  int64_t count = 0;
  for (const size_t place : places) {
    const RolloutRecord& record = file.records[place];
    if (!record.messages.empty() && record.turns == 1) {
      lines += json_line(lesson_of(record, loop));
      ++count;
    }
  }
  STITCH_TRY(write_file(path, lines));
  return count;
}

}  // namespace stitch::train
