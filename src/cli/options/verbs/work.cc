// SPDX-License-Identifier: Apache-2.0
#include <CLI/App.hpp>

#include "cli/options/command_line.h"
#include "cli/options/shared_options.h"
#include "cli/options/verbs/verbs.h"

namespace stitch::cli {
namespace {

constexpr const char* kJobsGroup = "Jobs";
constexpr const char* kEndGroup = "Its end";

void add_jobs(CLI::App* verb, WorkOptions* work) {
  verb->add_option("--store", work->store,
                   "Where jobs wait: sqlite:FILE on this machine, redis://HOST[:PORT] elsewhere")
      ->required()
      ->type_name("URL")
      ->group(kJobsGroup);
  verb->add_option("--class", work->job_class, "build: any processor; device: one GPU that is this worker's")
      ->required()
      ->check(CLI::IsMember({"build", "device"}))
      ->type_name("CLASS")
      ->group(kJobsGroup);
  verb->add_option("--artefacts", work->artefacts,
                   "The folder of files that front ends share (default: FILE.artefacts)")
      ->type_name("DIR")
      ->group(kJobsGroup);
  verb->add_option("--device", work->device, "Of the visible GPUs, which (default: 0); emulated: none")
      ->type_name("N")
      ->group(kJobsGroup);
  verb->add_option("--lease", work->lease_seconds, "Unheard of for so long, its job is another's (default: 30)")
      ->check(CLI::Range(1.0, 3600.0))
      ->type_name("SECONDS")
      ->group(kJobsGroup);
  verb->add_option("--metrics", work->metrics, "Answer /metrics for Prometheus at this port of loopback, or HOST:PORT")
      ->type_name("PORT")
      ->group(kJobsGroup);
}

void add_end(CLI::App* verb, WorkOptions* work) {
  verb->add_option("--drain-before", work->drain_before,
                   "Take no job so long before the end of its Slurm allocation, or of --seconds")
      ->check(CLI::Range(0.0, 86400.0))
      ->type_name("SECONDS")
      ->group(kEndGroup);
  verb->add_option("--seconds", work->seconds, "End after so long")
      ->check(CLI::Range(0.0, 1e9))
      ->type_name("SECONDS")
      ->group(kEndGroup);
  verb->add_option("--grace", work->grace_seconds,
                   "The job under way then has so long; else it is given back (default: 45)")
      ->check(CLI::Range(0.0, 86400.0))
      ->type_name("SECONDS")
      ->group(kEndGroup);
  verb->add_option("--max-jobs", work->max_jobs, "End after so many jobs")
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 40))
      ->type_name("COUNT")
      ->group(kEndGroup);
}

}  // namespace

void add_work(CLI::App* application, CommandLine* line) {
  CLI::App* verb = application->add_subcommand("work", "A worker: takes jobs from a store until it is told to end");
  verb->group(kMachineVerbs);
  add_jobs(verb, &line->work);
  add_end(verb, &line->work);
  add_common(verb, line);
  verb->footer(
      "stitchcuda work --store sqlite:jobs.db --class build # for `stitchcuda bench ... --store sqlite:jobs.db`\n"
      "stitchcuda work --store redis://queue --artefacts /shared/artefacts --class device --device 1 # the second GPU");
}

}  // namespace stitch::cli
