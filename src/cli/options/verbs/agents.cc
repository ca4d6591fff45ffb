// SPDX-License-Identifier: Apache-2.0
// Verbs for language models and for coding agents that somebody else wrote.
#include <CLI/App.hpp>

#include "cli/options/command_line.h"
#include "cli/options/shared_options.h"
#include "cli/options/verbs/verbs.h"

namespace stitch::cli {
namespace {

void add_mcp(CLI::App* application, CommandLine* line) {
  CLI::App* verb = application->add_subcommand("mcp", "The tools for a coding agent, by the Model Context Protocol");
  verb->group(kAgentVerbs);
  verb->add_option("--http", line->http_port,
                   "Serve HTTP on this port of 127.0.0.1 (default: stdin and stdout; 0: any)")
      ->check(CLI::Range(0, 65535))
      ->type_name("PORT")
      ->group(kAgentGroup);
  verb->add_option("--token-file", line->token_file,
                   "The token that clients send; made where it is missing (default: in the folder of runs)")
      ->type_name("FILE")
      ->group(kAgentGroup);
  verb->add_option("--root", line->root, "The only folder that tools may name (default: any; paths begin here)")
      ->type_name("DIR")
      ->group(kAgentGroup);
  verb->add_option("--job-after", line->job_after_seconds,
                   "When a call that still runs is answered with a job id (default: 30)")
      ->check(CLI::Range(1.0, 600.0))
      ->type_name("SECONDS")
      ->group(kAgentGroup);
  verb->add_flag("--unsafe-no-sandbox", line->without_cage,
                 "Compile and run candidates without a cage: they can do whatever you can")
      ->group(kDeviceGroup);
  verb->footer(
      "stitchcuda mcp # started by a coding agent, which talks to it on stdin and stdout\n"
      "stitchcuda mcp --http 8931 # http://127.0.0.1:8931/mcp, for clients that have the token");
}

void add_workspace(CLI::App* application, CommandLine* line) {
  CLI::App* verb = application->add_subcommand(
      "workspace", "A folder for a coding agent: task, contract, SKILL.md, expert's program");
  verb->group(kAgentVerbs);
  verb->add_option("folder", line->out, "Folder to write, new or empty")->required()->type_name("DIR");
  verb->add_option("--program", line->program, "The PyTorch program")
      ->required()
      ->type_name("FILE.py[:Name]")
      ->group(kProgramGroup);
  add_mode(verb, line);
  add_import_timeout(verb, line);
  add_math(verb, line);
  add_libraries(verb, line);
  add_target(verb, line);
  add_common(verb, line);
  verb->footer("stitchcuda workspace work --program model.py # then start your agent in work, with stitchcuda mcp");
}

}  // namespace

void add_agent_verbs(CLI::App* application, CommandLine* line) {
  add_mcp(application, line);
  add_serve(application, line);
  add_workspace(application, line);
  add_train(application, line);
  add_serve_model(application, line);
}

}  // namespace stitch::cli
