// SPDX-License-Identifier: Apache-2.0
// Each adds one verb, or one group of them, to the parser.
#pragma once

namespace CLI {
class App;
}

namespace stitch::cli {

struct CommandLine;

inline constexpr const char* kMainVerbs = "Main job";
inline constexpr const char* kAgentVerbs = "Language models and coding agents";
inline constexpr const char* kStageVerbs = "Stages, each from the file of the one before";
inline constexpr const char* kMachineVerbs = "This machine and this program";

void add_optimize(CLI::App* application, CommandLine* line);
void add_verify(CLI::App* application, CommandLine* line);
void add_admit(CLI::App* application, CommandLine* line);
void add_reverify(CLI::App* application, CommandLine* line);
void add_score(CLI::App* application, CommandLine* line);
void add_profile(CLI::App* application, CommandLine* line);
void add_tune(CLI::App* application, CommandLine* line);
void add_report(CLI::App* application, CommandLine* line);
// synth and decontaminate.
void add_synth(CLI::App* application, CommandLine* line);
void add_bench(CLI::App* application, CommandLine* line);
void add_agent_verbs(CLI::App* application, CommandLine* line);
void add_stages(CLI::App* application, CommandLine* line);
void add_docs(CLI::App* application, CommandLine* line);
void add_serve(CLI::App* application, CommandLine* line);
void add_train(CLI::App* application, CommandLine* line);
void add_serve_model(CLI::App* application, CommandLine* line);
void add_work(CLI::App* application, CommandLine* line);
void add_runs(CLI::App* application, CommandLine* line);
void add_machine_verbs(CLI::App* application, CommandLine* line);

}  // namespace stitch::cli
