// SPDX-License-Identifier: Apache-2.0
#include "train/chain/stage_mark.h"

#include <system_error>

#include "base/fs/files.h"
#include "base/json/json.h"

namespace stitch::train {
namespace {

constexpr const char* kFile = "chain.json";

}  // namespace

Result<std::shared_ptr<const Json>> begin_stage(const std::filesystem::path& run, const std::string& name,
                                                const std::string& digest) {
  const std::filesystem::path file = run / kFile;
  std::shared_ptr<const Json> none;
  std::error_code error;
  if (!std::filesystem::exists(file, error)) {
    STITCH_TRY(write_file(file, Json{{"digest", digest}}.dump(2) + "\n"));
    return none;
  }
  STITCH_ASSIGN(const std::string text, read_file(file));
  STITCH_ASSIGN(const Json mark, parse_json(text, file.string()));
  STITCH_ASSIGN(const std::string before, json_string(mark, "digest"));
  if (before != digest) {
    return failure(ErrorCode::kUsage,
                   "stage " + name + " was begun with other keys, or behind other stages than it has now",
                   file.string(), "name another folder for its 'run', and for those of the stages after it");
  }
  return mark.contains("answer") ? std::make_shared<const Json>(mark["answer"]) : none;
}

Result<void> end_stage(const std::filesystem::path& run, const std::string& digest, const Json& answer) {
  return write_file(run / kFile, Json{{"digest", digest}, {"answer", answer}}.dump(2) + "\n");
}

}  // namespace stitch::train
