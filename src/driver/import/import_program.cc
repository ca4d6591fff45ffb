// SPDX-License-Identifier: Apache-2.0
#include "driver/import/import_program.h"

#include <fmt/format.h>

#include "base/json/json.h"
#include "driver/import/read_exported.h"
#include "frontend/convert.h"

namespace stitch::driver {
namespace {

constexpr int64_t kImportTimeoutMs = 180'000;
constexpr int64_t kGraceMs = 15'000;   // PyTorch is loaded first, and a machine may be busy
constexpr int64_t kMinimumAxis = 130;  // two tiles of 64 and a tail: what a reduced axis is kept above

Unexpected unsupported(const std::vector<frontend::Unsupported>& missing) {
  std::string list;
  for (const frontend::Unsupported& one : missing) {
    // Where another form of the operator is supported, what counts is why this one is not.
    const std::string why = one.reason.empty() ? "nearest supported: " + one.nearest : one.reason;
    list += fmt::format("{}{}{} ({})", list.empty() ? "" : "; ", one.target,
                        one.location.empty() ? "" : " at " + one.location, why);
  }
  return failure(ErrorCode::kUnsupportedOperator,
                 fmt::format("{} operator{} of this program {} not supported yet: {}", missing.size(),
                             missing.size() == 1 ? "" : "s", missing.size() == 1 ? "is" : "are", list),
                 missing.front().location, "write it with supported operators, or leave it outside the module");
}

// What could lead elsewhere is left out: these names are opened and copied.
std::vector<std::string> own_files(const Json& exported) {
  std::vector<std::string> files;
  const auto found = exported.find("sources");
  if (found == exported.end() || !found->is_array()) {
    return files;
  }
  for (const Json& name : *found) {
    const std::filesystem::path path = name.is_string() ? name.get<std::string>() : std::string();
    if (!path.empty() && path.is_relative() && *path.lexically_normal().begin() != "..") {
      files.push_back(path.lexically_normal().string());
    }
  }
  return files;
}

Json small_arguments(const Task& task) {
  Json arguments = task.arguments();
  arguments["budget_seconds"] = kSmallSeconds;
  arguments["min_axis"] = kMinimumAxis;
  return arguments;
}

Json hidden_arguments(const Task& task, int count, uint64_t seed) {
  Json arguments = task.arguments();
  arguments["count"] = count;
  arguments["seed"] = seed;
  return arguments;
}

Json request_json(const char* verb, Json arguments) { return {{"verb", verb}, {"arguments", std::move(arguments)}}; }

}  // namespace

Result<void> look_ahead(Job& job, const Task& task, bool at_own_sizes) {
  Json groups = Json::array();
  groups.push_back(Json::array({request_json("batch_axis", task.arguments())}));
  if (at_own_sizes) {  // hidden shapes are chosen by the export that finds the batch
    groups[0].push_back(request_json("hidden_shapes", hidden_arguments(task, kHiddenShapes, job.options().seed)));
    groups.push_back(Json::array({request_json("small_scale", small_arguments(task))}));
  }
  STITCH_TRY(job.ask("ahead", {{"file", task.arguments()["file"]}, {"groups", groups}}, kImportTimeoutMs));
  return {};
}

Result<ImportedProgram> import_program(Job& job, const Task& task) {
  // The Python side says which line it was at; our own limit is for what does not listen, such as a loop in C.
  const double seconds = job.options().import_timeout_seconds;
  Json arguments = task.arguments();
  arguments["deadline_s"] = seconds;
  arguments["timed"] = true;
  const int64_t timeout_ms = static_cast<int64_t>(seconds * 1000) + kGraceMs;
  STITCH_ASSIGN(const Json exported, job.ask("import", arguments, timeout_ms));
  return read_exported(exported);
}

Result<ImportedProgram> read_exported(const Json& exported) {
  STITCH_ASSIGN(ir::Graph graph, frontend::graph_from_exported(exported));
  const std::vector<frontend::Unsupported> missing = frontend::unsupported_operators(graph);
  if (!missing.empty()) {
    return unsupported(missing);
  }
  ImportedProgram imported;
  imported.operators = static_cast<int>(graph.nodes.size());
  imported.graph = std::move(graph);
  if (const Result<std::string> version = json_string(exported, "torch_version"); version.has_value()) {
    imported.torch_version = *version;
  }
  imported.sources = own_files(exported);
  STITCH_ASSIGN(imported.parameters, json_int(exported, "parameter_count"));
  STITCH_ASSIGN(imported.flops, json_double(exported, "flops"));
  if (const auto seconds = exported.find("seconds"); seconds != exported.end() && seconds->is_object()) {
    for (const auto& [part, value] : seconds->items()) {
      imported.seconds.emplace_back(part, value.is_number() ? value.get<double>() : 0);
    }
  }
  return imported;
}

Result<SmallSizes> small_sizes(Job& job, const Task& task, bool whole_tiles) {
  Json arguments = small_arguments(task);
  arguments["whole_tiles"] = whole_tiles;
  STITCH_ASSIGN(const Json answer, job.ask("small_scale", arguments, kImportTimeoutMs));
  SmallSizes small;
  STITCH_ASSIGN(small.sizes, sizes_from_json(answer));
  STITCH_ASSIGN(small.seconds, json_double(answer, "seconds"));
  STITCH_ASSIGN(const Json* names, json_array(answer, "short"));
  for (const Json& name : *names) {
    small.short_of.push_back(name.is_string() ? name.get<std::string>() : std::string());
  }
  return small;
}

Result<std::vector<Sizes>> hidden_sizes(Job& job, const Task& task, int count, uint64_t seed) {
  STITCH_ASSIGN(const Json answer, job.ask("hidden_shapes", hidden_arguments(task, count, seed), kImportTimeoutMs));
  STITCH_ASSIGN(const Json* shapes, json_array(answer, "shapes"));
  std::vector<Sizes> found;
  for (const Json& shape : *shapes) {
    STITCH_ASSIGN(Sizes sizes, sizes_from_json(shape));
    found.push_back(std::move(sizes));
  }
  return found;
}

}  // namespace stitch::driver
