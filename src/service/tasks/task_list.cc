// SPDX-License-Identifier: Apache-2.0
#include "service/tasks/task_list.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/fs/files.h"
#include "base/hash/sha256.h"
#include "base/json/json.h"
#include "base/text/edit_distance.h"
#include "base/text/printable.h"

namespace stitch::service {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLines = "tasks.jsonl";
constexpr const char* kRemedy =
    "--tasks takes programs, folders of such, and files of lines as 'stitchcuda synth' writes";

std::vector<fs::path> programs_below(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code failed;
  for (fs::recursive_directory_iterator at(folder, failed), end; at != end && !failed; at.increment(failed)) {
    const std::string name = at->path().filename().string();
    if (name.ends_with(".py") && !name.starts_with("_") && at->is_regular_file(failed)) {
      found.push_back(at->path());
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace

Result<TaskList> TaskList::read(const std::vector<fs::path>& places) {
  TaskList list;
  for (const fs::path& place : places) {
    STITCH_TRY(list.add_place(place));
  }
  if (list.tasks_.empty()) {
    return failure(ErrorCode::kUsage, "there is no task to serve", "", kRemedy);
  }
  return list;
}

Result<void> TaskList::add_place(const fs::path& place) {
  std::error_code ignored;
  if (!fs::exists(place, ignored)) {
    return failure(ErrorCode::kUsage, "there is no " + place.string(), place.string(), kRemedy);
  }
  if (!fs::is_directory(place, ignored)) {
    return place.extension() == ".py" ? add_program(place.stem().string(), "", place) : add_lines(place);
  }
  if (fs::exists(place / kLines, ignored)) {
    return add_lines(place / kLines);
  }
  for (const fs::path& file : programs_below(place)) {
    fs::path id = file.lexically_relative(place);
    STITCH_TRY(add_program(id.replace_extension().string(), "", file));
  }
  return {};
}

Result<void> TaskList::add_lines(const fs::path& file) {
  STITCH_ASSIGN(const std::string text, read_file(file));
  int number = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    at = end + 1;
    ++number;
    if (line.find_first_not_of(" \t\r") == std::string::npos) {
      continue;
    }
    const std::string where = fmt::format("{}:{}", file.string(), number);
    STITCH_ASSIGN(const Json json, parse_json(line, where));
    STITCH_ASSIGN(const std::string id, json_string(json, "id"));
    STITCH_ASSIGN(const std::string named, json_string(json, "file"));
    const std::string split =
        json.contains("split") && json["split"].is_string() ? json["split"].get<std::string>() : "";
    STITCH_TRY(add_program(id, split, file.parent_path() / named));
  }
  return {};
}

Result<void> TaskList::add_program(const std::string& id, const std::string& split, const fs::path& file) {
  ServedTask task{.id = id, .split = split, .version = {}, .text = {}, .file_name = file.filename().string()};
  STITCH_ASSIGN(task.text, read_file(file));
  task.version = sha256_hex(task.text);
  if (!tasks_.emplace(id, std::move(task)).second) {
    return failure(ErrorCode::kUsage, fmt::format("two tasks are called '{}'", id), file.string(),
                   "serve them apart, or by one folder above both");
  }
  return {};
}

Result<const ServedTask*> TaskList::find(const std::string& id) const {
  const auto found = tasks_.find(id);
  if (found != tasks_.end()) {
    return &found->second;
  }
  std::string nearest;
  size_t distance = 4;
  for (const auto& [name, task] : tasks_) {
    const size_t apart = edit_distance(id.substr(0, 100), name);
    if (apart < distance) {
      distance = apart;
      nearest = name;
    }
  }
  return failure(ErrorCode::kUsage,
                 fmt::format("there is no task '{}'{}", printable_line(id, 100),
                             nearest.empty() ? "" : fmt::format(" (did you mean '{}'?)", nearest)),
                 "", "GET /v1/tasks lists them");
}

}  // namespace stitch::service
