// SPDX-License-Identifier: Apache-2.0
// One sample of one task: the verbs that it is asked by, each a process of this same binary with limits, here or at a
// worker, and what their answers come to.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "base/process/fork_server.h"
#include "bench/data/tables.h"
#include "bench/record/task_result.h"
#include "bench/run/run_spec.h"
#include "farm/ask/asker.h"

namespace stitch::bench {

struct AttemptPlace {
  std::filesystem::path program;  // this binary
  RunFolder folder;
  KnownTasks known;  // of KernelBench; empty for other suites
  // Where verbs are asked of workers; null: here, each as a process.
  farm::Asker* asker = nullptr;
  store::JobClass job_class = store::JobClass::kBuild;
  ForkServer* forks = nullptr;  // starts processes here with PyTorch at hand; null: each loads it
  int python_threads = 0;       // of PyTorch in each of them; 0: as many as it takes by itself
};

// Answers that somebody has, by task and sample: a file or a folder. Empty: there is none.
using FindCandidate = std::function<std::filesystem::path(const SuiteTask&, int sample)>;

// An Error says that this process is ending, or that nothing can be started here: then the sample has no result. Call
// from a thread that outlives the call. `say` is told what is under way.
Result<TaskResult> attempt(const AttemptPlace& place, const RunSpec& spec, const SuiteTask& task, int sample,
                           const FindCandidate& find_candidate, const std::function<void(const std::string&)>& say);

}  // namespace stitch::bench
