// SPDX-License-Identifier: Apache-2.0
#include <CLI/App.hpp>

#include "cli/options/command_line.h"
#include "cli/options/shared_options.h"
#include "cli/options/verbs/verbs.h"
#include "rubric/rewards/reward.h"

namespace stitch::cli {
namespace {

constexpr const char* kAskedGroup = "What may be asked";
constexpr const char* kPlaceGroup = "Where it listens";
constexpr const char* kWorkGroup = "Who judges";

void add_asked(CLI::App* verb, ServeOptions* serve) {
  verb->add_option("--tasks", serve->tasks, "Programs, folders of such, and what 'stitchcuda synth' made")
      ->type_name("FILE|DIR")
      ->group(kAskedGroup);
  std::vector<std::string> profiles;
  for (const rubric::RewardProfile& profile : rubric::reward_profiles()) {
    profiles.emplace_back(profile.name);
  }
  add_choice(
      verb, "--reward", profiles, [profiles, serve](size_t chosen) { serve->reward = profiles[chosen]; },
      "The reward of who names none (default: stitch_v1)")
      ->group(kAskedGroup);
  verb->add_option("--queue", serve->queue, "Evaluations that may be open; more are told to come again (default: 1000)")
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 20))
      ->type_name("COUNT")
      ->group(kAskedGroup);
  verb->add_option("--verify-seconds", serve->verify_seconds,
                   "The most that one call of a candidate may take (default: 120)")
      ->check(CLI::Range(0.1, 86400.0))
      ->type_name("SECONDS")
      ->group(kAskedGroup);
  verb->add_option("--compile-seconds", serve->compile_seconds,
                   "The most that all else about it may take (default: 300)")
      ->check(CLI::Range(1.0, 86400.0))
      ->type_name("SECONDS")
      ->group(kAskedGroup);
  verb->add_option("--max-body", serve->max_body_megabytes, "Of one request, in megabytes (default: 32)")
      ->check(CLI::Range(int64_t{1}, int64_t{1024}))
      ->type_name("MB")
      ->group(kAskedGroup);
  verb->add_flag("--openapi", serve->prints_openapi, "Print the interface as an OpenAPI document, and serve nothing")
      ->group(kAskedGroup);
}

void add_place(CLI::App* verb, CommandLine* line) {
  ServeOptions* serve = &line->serve;
  verb->add_option("--listen", serve->listen, "A port of loopback, or HOST:PORT (default: any port that is free)")
      ->type_name("PORT")
      ->group(kPlaceGroup);
  verb->add_option("--token-file", line->token_file,
                   "Who may ask: a file of mode 0600, made where there is none (default: serve-token in the folder of "
                   "state; STITCHCUDA_SERVE_TOKEN goes before)")
      ->type_name("FILE")
      ->group(kPlaceGroup);
  verb->add_option("--state", serve->state, "What it keeps of evaluations (default: serve in the folder of state)")
      ->type_name("DIR")
      ->group(kPlaceGroup);
  verb->add_option("--grace", serve->grace_seconds,
                   "After SIGTERM what is open has so long (default: 45); it goes on at the next start")
      ->check(CLI::Range(0.0, 86400.0))
      ->type_name("SECONDS")
      ->group(kPlaceGroup);
}

void add_work_of_serve(CLI::App* verb, CommandLine* line) {
  ServeOptions* serve = &line->serve;
  verb->add_option("--store", serve->store, "Where jobs wait for workers (default: jobs.db in --state)")
      ->type_name("URL")
      ->group(kWorkGroup);
  verb->add_option("--artefacts", serve->artefacts, "The folder of files that workers share (default: FILE.artefacts)")
      ->type_name("DIR")
      ->group(kWorkGroup);
  verb->add_option("--workers", serve->workers,
                   "Workers of its own, on the emulated device (default: 1, or 0 with --store)")
      ->check(CLI::Range(0, 256))
      ->type_name("COUNT")
      ->group(kWorkGroup);
  verb->add_option("--judge", line->judge_url,
                   "A language model's endpoint in OpenAI's form, which may lower the marks of right candidates; its "
                   "key: STITCHCUDA_JUDGE_KEY")
      ->type_name("URL")
      ->group(kWorkGroup);
  verb->add_option("--judge-model", line->judge_model, "The model to ask there (default: judge)")
      ->type_name("NAME")
      ->group(kWorkGroup);
  const std::vector<std::string> devices = {"emulated", "gpu"};
  add_choice(
      verb, "--device", devices, [serve](size_t chosen) { serve->is_on_gpu = chosen == 1; },
      "emulated: any 'work --class build' judges, without times; gpu: 'work --class device' (default: emulated)")
      ->group(kWorkGroup);
}

}  // namespace

void add_serve(CLI::App* application, CommandLine* line) {
  CLI::App* verb = application->add_subcommand("serve", "Rewards for trainers over HTTP: candidates in, verdicts out");
  verb->group(kAgentVerbs);
  add_asked(verb, &line->serve);
  add_place(verb, line);
  add_work_of_serve(verb, line);
  add_common(verb, line);
  verb->footer(
      "stitchcuda serve --tasks tasks --listen 8940 # with a worker of its own, on the emulated device\n"
      "stitchcuda serve --tasks tasks --store redis://queue --artefacts /shared --device gpu # workers are elsewhere\n"
      "stitchcuda serve --openapi # the interface");
}

}  // namespace stitch::cli
