// SPDX-License-Identifier: Apache-2.0
#include "runs/evidence/read_evidence.h"

#include <fmt/format.h>

#include "base/json/json.h"

namespace stitch::runs {
namespace {

using FolderTexts = std::map<std::string, std::string>;

constexpr std::string_view kProgramFolder = "evidence/program/";

// Null, with a note, where the file is missing or holds no JSON object.
Json read_object(const FolderTexts& folder, const std::string& name, const std::string& what,
                 std::vector<std::string>& notes) {
  const auto found = folder.find(name);
  if (found == folder.end()) {
    notes.push_back(fmt::format("{} is not in the folder: {} cannot be shown.", name, what));
    return Json();
  }
  Result<Json> parsed = parse_json(found->second, name);
  if (!parsed.has_value() || !parsed->is_object()) {
    notes.push_back(fmt::format("{} cannot be read (cut or altered): {} cannot be shown.", name, what));
    return Json();
  }
  return std::move(parsed).value();
}

Json read_program(const FolderTexts& folder, std::vector<std::string>& notes) {
  Json program = Json::object();
  for (const auto& [name, text] : folder) {
    if (name.starts_with(kProgramFolder)) {
      program[name.substr(kProgramFolder.size())] = text;
    }
  }
  if (program.empty()) {
    notes.push_back("The program's own source is not in evidence/program: its lines cannot be shown.");
  }
  return program;
}

}  // namespace

Json read_evidence(const FolderTexts& folder, std::vector<std::string>& notes) {
  const auto read = [&](const char* name, const char* what) { return read_object(folder, name, what, notes); };
  Json evidence = Json::object();
  evidence["task"] = read("task.json", "the task");
  evidence["result"] = read("evidence/result.json", "the result");
  evidence["verify"] = read("evidence/verify.json", "the verdict and its errors");
  evidence["environment"] = read("evidence/environment.json", "the environment");
  evidence["seeds"] = read("evidence/seeds.json", "seeds and shapes");
  evidence["command"] = read("evidence/command.json", "the exact command line");
  evidence["program"] = read_program(folder, notes);
  return evidence;
}

}  // namespace stitch::runs
