// SPDX-License-Identifier: Apache-2.0
#include "cli/application/run_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <clocale>
#include <csignal>
#include <cstdlib>

#include "base/fs/files.h"
#include "base/guard/guarded.h"
#include "base/interrupt/interrupt.h"
#include "base/json/json.h"
#include "base/process/environment.h"
#include "base/process/last_will.h"
#include "cli/commands/commands.h"
#include "toolchain/discovery/visible_gpu.h"

namespace stitch::cli {
namespace {

struct Verb {
  const char* name;
  Result<int> (*run)(Invocation&);
  bool needs_own_files = true;  // python/, runtime/, emulator/; what is about stitchcuda itself works without
};

constexpr Verb kVerbs[] = {{"import", run_import},
                           {"plan", run_plan},
                           {"emit", run_emit},
                           {"build", run_build},
                           {"verify", run_verify},
                           {"admit", run_admit},
                           {"reverify", run_reverify},
                           {"optimize", run_optimize},
                           {"score", run_score},
                           {"profile", run_profile},
                           {"tune", run_tune},
                           {"report", run_report},
                           {"synth", run_synth},
                           {"decontaminate", run_decontaminate},
                           {"bench", run_bench},
                           {"leaderboard", run_leaderboard},
                           {"harvest", run_harvest},
                           {"train", run_train, false},
                           {"mcp", run_mcp},
                           {"serve", run_serve},
                           {"serve-model", run_serve_model, false},
                           {"work", run_work},
                           {"workspace", run_workspace},
                           {"cache", run_cache},
                           {"doctor", run_doctor, false},
                           {"docs", run_docs},
                           {"runs", run_runs, false},
                           {"completion", run_completion, false},
                           {"man", run_man, false}};

Result<int> run_verb(Invocation& invocation) {
  for (const Verb& verb : kVerbs) {
    if (invocation.line().verb == verb.name) {
      // A full disk or memory surfaces in the libraries as an exception; it is the world's failure, not a crash.
      auto ran = guarded([&] { return verb.run(invocation); }, ErrorCode::kInternal, "an unexpected failure");
      return ran.has_value() ? std::move(ran).value() : Result<int>(failure(ran.error()));
    }
  }
  return failure(ErrorCode::kInternal, "the verb " + invocation.line().verb + " has no implementation");
}

// Of such whose last will was killed with them, too.
void remove_leftovers_of_killed_runs() {
  std::error_code ignored;
  for (const std::filesystem::path& folder :
       {std::filesystem::temp_directory_path(ignored), std::filesystem::path("/dev/shm")}) {
    remove_leftovers(folder, "stitchcuda-");
  }
}

bool needs_own_files(const std::string& name) {
  return std::any_of(std::begin(kVerbs), std::end(kVerbs),
                     [&](const Verb& verb) { return name == verb.name && verb.needs_own_files; });
}

// A run of agents begins its record itself, once it is known that its models answer.
bool keeps_record(const CommandLine& line) {
  return (line.verb == "optimize" && !line.agents.are_asked()) || (line.verb == "tune" && line.action.empty());
}

}  // namespace

int run_command(int argc, char** argv, driver::RunCandidates run_candidates) {
  std::signal(SIGPIPE, SIG_IGN);
  leave_no_core_with_secrets();
  Reporter usage_reporter(false, false);
  const Result<CommandLine> line = parse_command_line(argc, argv);
  if (!line.has_value()) {
    usage_reporter.error(line.error(), Json::object());
    return exit_status(line.error().code);
  }
  if (!line->help.empty()) {
    fmt::print("{}", line->help);
    return 0;
  }
  toolchain::count_gpus_by_bus();
  start_last_will();
  Reporter reporter(line->json, line->quiet, line->color);
  RunLog run_log(reporter);
  const Json schema = {{"schema", "stitchcuda." + line->verb + "/1"}, {"task", line->file}};
  exit_on_interrupt({.before = [&reporter] { reporter.hush(); },
                     .after =
                         [&reporter, &run_log, schema] {
                           remove_leftovers_of_killed_runs();  // of programs of ours that we have just ended
                           const Error interruption = run_log.interruption();
                           run_log.fail(interruption);
                           reporter.last_word(interruption, schema);
                         }});
  remove_leftovers_of_killed_runs();
  if (line->debug) {
    ::setenv("STITCHCUDA_DEBUG", "1", 1);
  }
  Result<driver::Resources> resources =
      needs_own_files(line->verb) ? driver::find_resources() : Result<driver::Resources>(driver::Resources{});
  if (!resources.has_value()) {
    stop_handling_interrupts();
    reporter.error(resources.error(), schema);
    return exit_status(resources.error().code);
  }
  resources->forked_python = driver::ForkedPython::of_environment();
  if (keeps_record(*line)) {
    run_log.begin(*line);
  }
  Invocation invocation(*line, *resources, reporter, run_log, std::move(run_candidates));
  const Result<int> status = run_verb(invocation);
  stop_handling_interrupts();
  if (!status.has_value()) {
    run_log.fail(status.error());
    reporter.error(status.error(), schema);
    return exit_status(status.error().code);
  }
  run_log.end(*status == 0 ? runs::RunState::kVerified : runs::RunState::kNotVerified);
  return *status;
}

}  // namespace stitch::cli
