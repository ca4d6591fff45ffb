// SPDX-License-Identifier: Apache-2.0
#include "bench/run/run_spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "base/fs/files.h"
#include "base/fs/state_folder.h"
#include "base/json/members.h"
#include "base/text/identifier.h"
#include "runs/record/run_record.h"

namespace stitch::bench {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSpecSchema = "stitchcuda.bench_run/1";

Json task_json(const SuiteTask& task, const std::string& digest) {
  return {{"task", task.id},       {"name", task.name},     {"file", task.file.string()}, {"level", task.level},
          {"number", task.number}, {"family", task.family}, {"subsets", task.subsets},    {"digest", digest}};
}

Result<SuiteTask> task_of(const Json& json) {
  SuiteTask task;
  STITCH_ASSIGN(task.id, json_string(json, "task"));
  STITCH_ASSIGN(task.name, json_string(json, "name"));
  STITCH_ASSIGN(const std::string file, json_string(json, "file"));
  task.file = file;
  STITCH_ASSIGN(task.level, json_small_int(json, "level"));
  STITCH_ASSIGN(task.number, json_small_int(json, "number"));
  STITCH_ASSIGN(task.family, json_string(json, "family"));
  STITCH_ASSIGN(task.subsets, json_string_list(json, "subsets"));
  return task;
}

Result<void> read_how(const Json& json, RunSpec& spec) {
  STITCH_ASSIGN(spec.samples, json_small_int(json, "samples"));
  STITCH_ASSIGN(const int64_t seed, json_int(json, "seed"));
  STITCH_ASSIGN(const int64_t bytes, json_int(json, "task_bytes"));
  if (spec.samples < 1 || seed < 0 || bytes < 0) {
    return failure(ErrorCode::kFileInvalid, "samples, seed or task_bytes is negative");
  }
  spec.seed = static_cast<uint64_t>(seed);
  spec.task_bytes = static_cast<uint64_t>(bytes);
  STITCH_ASSIGN(spec.arguments, json_string_list(json, "arguments"));
  STITCH_ASSIGN(spec.task_arguments, json_string_list(json, "task_arguments"));
  STITCH_ASSIGN(spec.baselines, json_string_list(json, "baselines"));
  STITCH_ASSIGN(spec.candidates, json_string(json, "candidates"));
  STITCH_ASSIGN(spec.asks_admission, json_bool(json, "asks_admission"));
  STITCH_ASSIGN(spec.task_seconds, json_double(json, "task_seconds"));
  STITCH_ASSIGN(const Json* conditions, json_object(json, "conditions"));
  for (const auto& [name, value] : conditions->items()) {
    spec.conditions[name] = value.is_string() ? value.get<std::string>() : value.dump();
  }
  return {};
}

}  // namespace

Json to_json(const RunSpec& spec) {
  Json tasks = Json::array();
  for (const SuiteTask& task : spec.tasks) {
    const auto digest = spec.digests.find(task.id);
    tasks.push_back(task_json(task, digest == spec.digests.end() ? "" : digest->second));
  }
  return {{"schema", kSpecSchema},
          {"id", spec.id},
          {"command", spec.command},
          {"suite", spec.suite},
          {"conditions", spec.conditions},
          {"samples", spec.samples},
          {"seed", spec.seed},
          {"arguments", spec.arguments},
          {"task_arguments", spec.task_arguments},
          {"baselines", spec.baselines},
          {"candidates", spec.candidates},
          {"asks_admission", spec.asks_admission},
          {"task_seconds", spec.task_seconds},
          {"task_bytes", spec.task_bytes},
          {"tasks", std::move(tasks)}};
}

Result<RunSpec> run_spec_from_json(const Json& json) {
  RunSpec spec;
  STITCH_ASSIGN(const std::string schema, json_string(json, "schema"));
  if (schema != kSpecSchema) {
    return failure(ErrorCode::kFileInvalid, fmt::format("this is '{}', not '{}'", schema, kSpecSchema));
  }
  STITCH_ASSIGN(spec.id, json_string(json, "id"));
  STITCH_ASSIGN(spec.command, json_string_list(json, "command"));
  STITCH_ASSIGN(spec.suite, json_string(json, "suite"));
  STITCH_TRY(read_how(json, spec));
  STITCH_ASSIGN(const Json* tasks, json_array(json, "tasks"));
  for (const Json& each : *tasks) {
    STITCH_ASSIGN(SuiteTask task, task_of(each));
    STITCH_ASSIGN(spec.digests[task.id], json_string(each, "digest"));
    spec.tasks.push_back(std::move(task));
  }
  return spec;
}

std::string RunFolder::out_of(const std::string& task, int sample) {
  std::string name = task;
  std::replace_if(name.begin(), name.end(), [](char letter) { return letter == '/' || letter == '\\'; }, '_');
  return fmt::format("tasks/{}/{}", name, sample);
}

Result<RunSpec> RunFolder::read_spec() const {
  STITCH_ASSIGN(const std::string text, read_file(spec()));
  STITCH_ASSIGN(const Json json, parse_json(text, spec().string()));
  Result<RunSpec> read = run_spec_from_json(json);
  return read.has_value() ? std::move(read) : Result<RunSpec>(failure(with_context(read.error(), spec().string())));
}

Result<fs::path> new_run_folder(const std::string& suite, int64_t seconds_since_1970) {
  STITCH_ASSIGN(const fs::path state, state_folder());
  std::random_device random;
  fs::path folder;
  std::error_code ignored;
  do {
    folder =
        state / "bench" /
        fmt::format("{}-{}-{:04x}", runs::utc_digits(seconds_since_1970), as_identifier(suite), random() & 0xffffU);
  } while (fs::exists(folder, ignored));
  return folder;
}

Result<fs::path> find_run_folder(const std::string& name) {
  std::error_code ignored;
  if (fs::exists(fs::path(name) / "bench.json", ignored)) {
    return fs::absolute(name, ignored).lexically_normal();
  }
  STITCH_ASSIGN(const fs::path state, state_folder());
  std::vector<fs::path> fitting;
  for (fs::directory_iterator entry(state / "bench", ignored), end; !ignored && entry != end;
       entry.increment(ignored)) {
    std::error_code failed;
    if (entry->path().filename().string().starts_with(name) && fs::exists(entry->path() / "bench.json", failed)) {
      fitting.push_back(entry->path());
    }
  }
  if (fitting.size() == 1 && !name.empty()) {
    return fitting.front();
  }
  return failure(ErrorCode::kUsage,
                 fitting.size() > 1 ? fmt::format("{} runs of a bench begin with '{}'", fitting.size(), name)
                                    : fmt::format("there is no run of a bench '{}'", name),
                 (state / "bench").string(), "name its folder, or its id or the beginning of that");
}

}  // namespace stitch::bench
