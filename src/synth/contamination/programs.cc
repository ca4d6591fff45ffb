// SPDX-License-Identifier: Apache-2.0
#include "synth/contamination/programs.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>

#include "base/fs/files.h"
#include "base/json/json.h"
#include "driver/import/read_exported.h"
#include "plan/rewrite/rewrite.h"
#include "synth/contamination/graph_digest.h"

namespace stitch::synth {
namespace {

namespace fs = std::filesystem;

constexpr double kImportSeconds = 60;

Result<std::vector<ProgramFile>> of_list(const fs::path& list) {
  STITCH_ASSIGN(const std::string text, read_file(list));
  std::vector<ProgramFile> files;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    const std::string line = text.substr(begin, end - begin);
    begin = end + 1;
    if (line.empty()) {
      continue;
    }
    STITCH_ASSIGN(const Json json, parse_json(line, list.string()));
    STITCH_ASSIGN(const std::string file, json_string(json, "file"));
    files.push_back({list.parent_path() / file, line});
  }
  return files;
}

// Files beside programs (a package's, helpers) define no Model.
bool defines_model(const fs::path& path) {
  const Result<std::string> text = read_file(path);
  return text.has_value() && text->find("class Model") != std::string::npos;
}

std::vector<ProgramFile> of_folder(const fs::path& folder) {
  std::vector<ProgramFile> files;
  std::error_code error;
  for (fs::recursive_directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    if (it->path().extension() == ".py" && it->is_regular_file(error) && defines_model(it->path())) {
      files.push_back({it->path(), {}});
    }
  }
  std::sort(files.begin(), files.end(), [](const ProgramFile& a, const ProgramFile& b) { return a.path < b.path; });
  return files;
}

// The digest of its graph after our rewrites; why there is none is added to the program's trouble.
Result<void> add_graph(TaskProcess& process, const fs::path& path, Program& program) {
  const Json arguments = {{"file", path.string()}, {"mode", "as-is"}, {"deadline_s", kImportSeconds}};
  const Result<Json> exported = process.ask("import", arguments);
  if (!exported.has_value()) {
    program.trouble = exported.error().message;
    return exported.error().code == ErrorCode::kEnvironment ? Result<void>(failure(exported.error())) : Result<void>();
  }
  const Result<driver::ImportedProgram> imported = driver::read_exported(*exported);
  const Result<ir::Graph> rewritten =
      imported.has_value() ? plan::rewrite(imported->graph) : Result<ir::Graph>(failure(imported.error()));
  if (rewritten.has_value()) {
    program.graph = graph_digest(*rewritten);
  } else {
    program.trouble = rewritten.error().message;
  }
  return {};
}

Result<Program> look_at(TaskProcess& process, const ProgramFile& file, bool with_graphs) {
  Program program;
  program.name = file.path.string();
  program.line = file.line;
  STITCH_ASSIGN(const std::string source, read_file(file.path));
  STITCH_ASSIGN(const TaskFacts facts, process.look({source, file.path.string(), {}}));
  program.subtrees = facts.subtrees;
  program.signature = facts.signature;
  program.trouble = facts.failed;
  if (with_graphs) {
    STITCH_TRY(add_graph(process, fs::absolute(file.path), program));
  }
  return program;
}

}  // namespace

Result<std::vector<ProgramFile>> programs_in(const fs::path& place) {
  std::error_code ignored;
  std::vector<ProgramFile> files;
  if (fs::is_directory(place, ignored)) {
    files = of_folder(place);
  } else if (place.extension() == ".py") {
    files = {{place, {}}};
  } else {
    STITCH_ASSIGN(files, of_list(place));
  }
  if (files.empty()) {
    return failure(ErrorCode::kFileInvalid, "there is no program here", place.string(),
                   "name a list that synth wrote, a folder with files that define a class Model, or one such file");
  }
  return files;
}

Result<std::vector<Program>> facts_of(const std::vector<ProgramFile>& files, bool with_graphs, Lanes& lanes,
                                      driver::Progress::Wait& wait) {
  std::vector<Program> programs(files.size());
  std::atomic<size_t> done = 0;
  STITCH_TRY(lanes.run(files.size(), [&](TaskProcess& process, size_t index) -> Result<void> {
    STITCH_ASSIGN(programs[index], look_at(process, files[index], with_graphs));
    wait.say(fmt::format("{} of {} programs", ++done, files.size()));
    return {};
  }));
  return programs;
}

}  // namespace stitch::synth
