// SPDX-License-Identifier: Apache-2.0
// A whole run: begun or gone on with, and what it leaves in its folder.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/process/fork_server.h"
#include "bench/compare/published.h"
#include "bench/figures/figures.h"
#include "bench/run/run_spec.h"
#include "bench/run/run_tasks.h"

namespace stitch::bench {

struct BenchRequest {
  SuiteRequest suite;           // of a new run
  RunSpec spec;                 // of a new run, all but its id, tasks and digests
  bool counts_samples = false;  // a new run of answers: as many samples as there are answers
  std::string out{};            // folder of a new run; empty: STATE/bench/ID
  std::string resume{};         // the run that goes on; empty: a new one
  int jobs = 1;
  Budget budget;
  std::string store{};          // where workers take its tasks from; empty: they run here
  std::string artefacts{};      // the folder that those share with us
  ForkServer* forks = nullptr;  // of tasks that run here; null: each process loads PyTorch
};

// Told of what goes on, from any thread.
struct BenchEvents {
  std::function<void(const RunSpec& spec, const std::filesystem::path& folder, size_t known)> begun;
  // Answers with what is told of the task while it runs.
  std::function<std::function<void(const std::string&)>(const SuiteTask& task, int sample)> task_begun;
  std::function<void(const TaskResult& result, size_t done, size_t of)> task_ended;
};

struct BenchReport {
  RunSpec spec;
  std::filesystem::path folder;
  std::vector<TaskResult> results;
  Figures figures;
  std::vector<BesidePublished> published;
  size_t left = 0;
  std::string why_left;

  // The share of sound tasks with a right answer that is its own work; 0 where there is no sound task.
  double success() const;
};

// Call from a thread that outlives it. An Error of a run that had begun leaves all results that had ended.
Result<BenchReport> run_bench(const BenchRequest& request, const BenchEvents& events);

// What a run has so far, with its audits; it may still be running.
Result<BenchReport> read_run(const std::filesystem::path& folder);

// Writes figures.json and, of judged answers, KernelBench's eval_results.json into the run's folder.
Result<void> leave_files(const BenchReport& report);

Json to_json(const BenchReport& report);
std::string describe(const BenchReport& report);

}  // namespace stitch::bench
