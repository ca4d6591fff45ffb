// SPDX-License-Identifier: Apache-2.0
#include "cli/stages/folder.h"

#include "base/fs/files.h"
#include "base/json/json.h"

namespace stitch::cli {

Result<Folder> read_folder(const std::filesystem::path& path) {
  Folder folder;
  STITCH_ASSIGN(const std::string task_text, read_file(path / "task.json"));
  STITCH_ASSIGN(const Json task_json, parse_json(task_text, "task.json"));
  STITCH_ASSIGN(folder.task, task_from_json(task_json));
  STITCH_ASSIGN(const std::string plan_text, read_file(path / "plan.json"));
  STITCH_ASSIGN(const Json plan_json, parse_json(plan_text, "plan.json"));
  STITCH_ASSIGN(folder.plan, plan::from_json(plan_json));
  STITCH_ASSIGN(folder.sources, read_bundle(path.string()));
  return folder;
}

}  // namespace stitch::cli
