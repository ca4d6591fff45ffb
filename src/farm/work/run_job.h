// SPDX-License-Identifier: Apache-2.0
// One job, run as a process of this same binary in a folder of its own, with limits and without this process's
// environment. Candidates' code runs in the cage that every verb puts it into; a job cannot do without it.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "base/process/fork_server.h"
#include "farm/artefacts/artefacts.h"
#include "farm/job/job_result.h"

namespace stitch::farm {

struct JobPlace {
  std::filesystem::path program;  // stitchcuda
  Artefacts artefacts{std::filesystem::path()};
  std::optional<std::string> visible_devices{};  // CUDA_VISIBLE_DEVICES of the process; empty: as it is here
  std::filesystem::path temporary{};             // where jobs' folders are made; empty: the system's
  ForkServer* forks = nullptr;                   // starts jobs with PyTorch at hand; null: each loads it
};

// What became of it. `world`: why nothing is known of the job, which is another worker's then.
struct JobRun {
  JobResult result;
  std::string world{};
  bool is_unwanted = false;
};

// An Error where this machine cannot run jobs at all. Call from a thread that outlives the process.
Result<JobRun> run_job(const JobPlace& place, const Job& job, const std::function<bool()>& is_unwanted);

}  // namespace stitch::farm
