// SPDX-License-Identifier: Apache-2.0
// The tasks that may be asked about. A trainer names one; its code is ours.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/error/result.h"

namespace stitch::service {

struct ServedTask {
  std::string id;
  std::string split;    // empty: none is known
  std::string version;  // SHA-256 of the program's text
  std::string text;
  std::string file_name;
};

class TaskList {
 public:
  // Each a program, a folder of such (those below it count by their paths, without .py), a file of lines as `synth`
  // writes it, or a folder that has a tasks.jsonl. kUsage where two tasks have one name, or none is found.
  static Result<TaskList> read(const std::vector<std::filesystem::path>& places);

  size_t size() const { return tasks_.size(); }
  // kUsage, with a name that is near, where there is none.
  Result<const ServedTask*> find(const std::string& id) const;
  const std::map<std::string, ServedTask>& all() const { return tasks_; }

 private:
  Result<void> add_place(const std::filesystem::path& place);
  Result<void> add_lines(const std::filesystem::path& file);
  Result<void> add_program(const std::string& id, const std::string& split, const std::filesystem::path& file);
  std::map<std::string, ServedTask> tasks_;
};

}  // namespace stitch::service
