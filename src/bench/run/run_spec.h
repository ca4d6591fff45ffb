// SPDX-License-Identifier: Apache-2.0
// What a run was asked, in bench.json (`stitchcuda.bench_run/1`), from which it goes on.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/json/json_forward.h"
#include "bench/suite/suite.h"

namespace stitch::bench {

struct RunSpec {
  std::string id;
  std::vector<std::string> command;  // as it was given
  std::string suite;                 // its name
  std::vector<SuiteTask> tasks;
  std::map<std::string, std::string> digests{};  // task -> SHA-256 of its file
  int samples = 1;
  uint64_t seed = 0;
  std::vector<std::string> arguments{};             // handed on to the verb that each task is asked by
  std::vector<std::string> task_arguments{};        // those of them that say what is judged: for `admit`, too
  std::map<std::string, std::string> conditions{};  // "device", "math", "system" ...: what tables name
  std::vector<std::string> baselines{};             // "eager", "compile", "graph"; the first is timed with the verdict
  std::string candidates{};                         // a folder of answers that are judged; empty: answers are made
  bool asks_admission = true;
  // Of one sample of one task.
  double task_seconds = 900;
  uint64_t task_bytes = uint64_t{8} << 30;
};

Json to_json(const RunSpec& spec);
Result<RunSpec> run_spec_from_json(const Json& json);

// A run's folder: RUN/bench.json, results.jsonl, audits.jsonl, tasks/, report.html.
class RunFolder {
 public:
  explicit RunFolder(std::filesystem::path path) : path_(std::move(path)) {}

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path spec() const { return path_ / "bench.json"; }
  std::filesystem::path results() const { return path_ / "results.jsonl"; }
  std::filesystem::path audits() const { return path_ / "audits.jsonl"; }
  std::filesystem::path figures() const { return path_ / "figures.json"; }
  std::filesystem::path report() const { return path_ / "report.html"; }
  std::filesystem::path written() const { return path_ / "programs"; }
  std::filesystem::path state() const { return path_ / "state"; }
  // Relative to the run's: "tasks/level1_3/0".
  static std::string out_of(const std::string& task, int sample);

  Result<RunSpec> read_spec() const;

 private:
  std::filesystem::path path_;
};

// STATE/bench/ID of a new run, and of one by its id, the beginning of it, or its folder. kUsage where none or several
// fit.
Result<std::filesystem::path> new_run_folder(const std::string& suite, int64_t seconds_since_1970);
Result<std::filesystem::path> find_run_folder(const std::string& name);

}  // namespace stitch::bench
