// SPDX-License-Identifier: Apache-2.0
#include "train/chain/stage_mark.h"

#include <system_error>

#include "base/fs/files.h"
#include "base/json/json.h"

namespace stitch::train {
namespace {

constexpr const char* kFile = "chain.json";

Json json_of(const StageMark& mark, const std::filesystem::path& run) {
  Json before = Json::array();
  for (const StageMark::Before& stage : mark.before) {
    before.push_back({{"name", stage.name}, {"run", stage.run.lexically_relative(run).generic_string()}});
  }
  return {{"digest", mark.digest}, {"name", mark.name}, {"before", std::move(before)}};
}

}  // namespace

Result<std::shared_ptr<const Json>> begin_stage(const std::filesystem::path& run, const StageMark& mark) {
  const std::filesystem::path file = run / kFile;
  std::shared_ptr<const Json> none;
  std::error_code error;
  if (!std::filesystem::exists(file, error)) {
    STITCH_TRY(write_file(file, json_of(mark, run).dump(2) + "\n"));
    return none;
  }
  STITCH_ASSIGN(const std::string text, read_file(file));
  STITCH_ASSIGN(const Json claimed, parse_json(text, file.string()));
  STITCH_ASSIGN(const std::string digest, json_string(claimed, "digest"));
  if (digest != mark.digest) {
    return failure(ErrorCode::kUsage,
                   "stage " + mark.name + " was begun with other keys, or behind other stages than it has now",
                   file.string(), "name another folder for its 'run', and for those of the stages after it");
  }
  return claimed.contains("answer") ? std::make_shared<const Json>(claimed["answer"]) : none;
}

Result<void> end_stage(const std::filesystem::path& run, const StageMark& mark, const Json& answer) {
  Json json = json_of(mark, run);
  json["answer"] = answer;
  return write_file(run / kFile, json.dump(2) + "\n");
}

}  // namespace stitch::train
