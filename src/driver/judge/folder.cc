// SPDX-License-Identifier: Apache-2.0
#include "driver/judge/folder.h"

#include "base/error/located.h"
#include "base/fs/files.h"
#include "base/json/json.h"
#include "driver/judge/plan_file.h"

namespace stitch::driver {
namespace {

constexpr const char* kRemedy = "run `stitchcuda optimize` on the program again";

}  // namespace

Result<Folder> read_folder(const std::filesystem::path& path) {
  std::error_code ignored;
  if (!std::filesystem::is_directory(path, ignored)) {
    const bool is_there = std::filesystem::exists(path, ignored);
    return failure(ErrorCode::kFileInvalid,
                   is_there ? path.string() + " is a file, not a folder" : "there is no folder " + path.string(),
                   path.string(), "name a folder that `stitchcuda optimize` wrote");
  }
  Folder folder;
  const std::string task_path = (path / "task.json").string();
  STITCH_ASSIGN(const std::string task_text, located(read_file(task_path), task_path, kRemedy));
  STITCH_ASSIGN(const Json task_json, parse_json(task_text, task_path));
  STITCH_ASSIGN(folder.task, located(task_from_json(task_json), task_path, kRemedy));
  const std::string plan_path = (path / "plan.json").string();
  STITCH_ASSIGN(folder.plan, read_plan_file(plan_path, kRemedy));
  STITCH_ASSIGN(folder.sources, located(read_bundle(path.string()), path.string(), kRemedy));
  return folder;
}

}  // namespace stitch::driver
