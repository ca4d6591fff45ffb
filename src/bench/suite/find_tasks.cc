// SPDX-License-Identifier: Apache-2.0
#include "bench/suite/find_tasks.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <tuple>

#include "base/fs/files.h"
#include "base/json/json.h"

namespace stitch::bench {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kLevel = "level";
constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";

// A whole number that is all of `text`; 0 otherwise.
int whole_number(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && value > 0 ? value : 0;
}

int level_of(const fs::path& folder) {
  const std::string name = folder.filename().string();
  return name.starts_with(kLevel) ? whole_number(std::string_view(name).substr(kLevel.size())) : 0;
}

Result<std::vector<fs::path>> entries_of(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code failed;
  for (fs::directory_iterator entry(folder, failed), end; !failed && entry != end; entry.increment(failed)) {
    found.push_back(entry->path());
  }
  if (failed) {
    return failure(ErrorCode::kUsage, fmt::format("cannot read the folder: {}", failed.message()), folder.string(),
                   "name a folder of programs");
  }
  std::sort(found.begin(), found.end());
  return found;
}

SuiteTask task_of_file(const fs::path& file, int level) {
  SuiteTask task{.id = "", .name = file.stem().string()};
  std::error_code ignored;
  task.file = fs::absolute(file, ignored).lexically_normal();
  task.level = level;
  task.number = whole_number(task.name.substr(0, task.name.find('_')));
  if (level > 0) {
    task.id = fmt::format("level{}/{}", level, task.number > 0 ? std::to_string(task.number) : task.name);
  } else {
    task.id = task.name;
  }
  return task;
}

Result<std::vector<SuiteTask>> programs_of(const fs::path& folder, int level) {
  STITCH_ASSIGN(const std::vector<fs::path> entries, entries_of(folder));
  std::vector<SuiteTask> tasks;
  std::error_code ignored;
  for (const fs::path& entry : entries) {
    const std::string name = entry.filename().string();
    if (entry.extension() == ".py" && name.front() != '_' && name.front() != '.' &&
        fs::is_regular_file(entry, ignored)) {
      tasks.push_back(task_of_file(entry, level));
    }
  }
  return tasks;
}

// Results are kept under ids: two files of one number are told apart by their names.
void make_ids_differ(std::vector<SuiteTask>& tasks) {
  std::set<std::string> taken;
  std::set<std::string> twice;
  for (const SuiteTask& task : tasks) {
    if (!taken.insert(task.id).second) {
      twice.insert(task.id);
    }
  }
  for (SuiteTask& task : tasks) {
    if (twice.contains(task.id)) {
      task.id = task.level > 0 ? fmt::format("level{}/{}", task.level, task.name) : task.name;
    }
  }
}

std::vector<SuiteTask> in_order(std::vector<SuiteTask> tasks) {
  std::stable_sort(tasks.begin(), tasks.end(), [](const SuiteTask& a, const SuiteTask& b) {
    return std::tie(a.level, a.number, a.name) < std::tie(b.level, b.number, b.name);
  });
  make_ids_differ(tasks);
  return tasks;
}

Result<SuiteTask> task_of_line(const Json& json, const fs::path& list, const fs::path& written) {
  // What `synth` leaves calls it the id.
  STITCH_ASSIGN(const std::string name, json_string(json, json.contains("name") ? "name" : "id"));
  if (name.empty() || name.find_first_not_of(kLetters) != std::string::npos) {
    return failure(ErrorCode::kFileInvalid, fmt::format("'{}' is no name of a task", name), "",
                   "name it with letters, digits and _");
  }
  fs::path file;
  if (json.contains("source")) {
    STITCH_ASSIGN(const std::string source, json_string(json, "source"));
    file = written / (name + ".py");
    STITCH_TRY(write_file(file, source));
  } else {
    STITCH_ASSIGN(const std::string named, json_string(json, "file"));
    file = list.parent_path() / named;
  }
  SuiteTask task = task_of_file(file, 0);
  task.id = task.name = name;
  if (json.contains("level") && json["level"].is_number_integer()) {
    task.level = json["level"].get<int>();
  }
  if (json.contains("family") && json["family"].is_string()) {
    task.family = json["family"].get<std::string>();
  }
  return task;
}

}  // namespace

bool has_levels(const fs::path& folder) {
  std::error_code failed;
  for (fs::directory_iterator entry(folder, failed), end; !failed && entry != end; entry.increment(failed)) {
    if (level_of(entry->path()) > 0 && entry->is_directory(failed)) {
      return true;
    }
  }
  return false;
}

Result<std::vector<SuiteTask>> tasks_by_level(const fs::path& folder) {
  STITCH_ASSIGN(const std::vector<fs::path> entries, entries_of(folder));
  std::vector<SuiteTask> all;
  for (const fs::path& entry : entries) {
    if (const int level = level_of(entry); level > 0) {
      STITCH_ASSIGN(const std::vector<SuiteTask> tasks, programs_of(entry, level));
      all.insert(all.end(), tasks.begin(), tasks.end());
    }
  }
  if (all.empty()) {
    return failure(ErrorCode::kUsage, "there is no level1/ with programs in it", folder.string(),
                   "name a checkout of KernelBench with --root");
  }
  return in_order(std::move(all));
}

Result<std::vector<SuiteTask>> tasks_in(const fs::path& folder) {
  STITCH_ASSIGN(std::vector<SuiteTask> tasks, programs_of(folder, 0));
  return in_order(std::move(tasks));
}

Result<std::vector<SuiteTask>> tasks_of_list(const fs::path& list, const fs::path& written) {
  STITCH_ASSIGN(const std::string text, read_file(list));
  std::vector<SuiteTask> tasks;
  std::set<std::string> names;
  int number = 0;
  for (size_t from = 0; from < text.size();) {
    const size_t end = std::min(text.find('\n', from), text.size());
    const std::string_view line = std::string_view(text).substr(from, end - from);
    from = end + 1;
    const std::string place = fmt::format("{}:{}", list.string(), ++number);
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) {
      continue;
    }
    STITCH_ASSIGN(const Json json, parse_json(line, place));
    Result<SuiteTask> task = task_of_line(json, list, written);
    if (!task.has_value()) {
      return failure(with_context(task.error(), place));
    }
    if (!names.insert(task->id).second) {
      return failure(ErrorCode::kFileInvalid, fmt::format("two tasks are called {}", task->id), place,
                     "give each a name of its own");
    }
    tasks.push_back(std::move(task).value());
  }
  return tasks;
}

}  // namespace stitch::bench
