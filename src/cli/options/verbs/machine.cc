// SPDX-License-Identifier: Apache-2.0
// Verbs about this machine and about stitchcuda itself.
#include <CLI/App.hpp>

#include "cli/options/command_line.h"
#include "cli/options/shared_options.h"
#include "cli/options/verbs/verbs.h"

namespace stitch::cli {
namespace {

CLI::App* add_machine_verb(CLI::App* application, const char* name, const char* text) {
  CLI::App* verb = application->add_subcommand(name, text);
  verb->group(kMachineVerbs);
  return verb;
}

void add_cache(CLI::App* application, CommandLine* line) {
  CLI::App* cache = add_machine_verb(application, "cache", "What is kept between runs: compiled files, measured times");
  cache->require_subcommand(1);
  CLI::App* info = cache->add_subcommand("info", "Where it is, how much, and who uses it now");
  add_cache_size(info, line);
  add_common(info, line);
  info->footer("stitchcuda cache info # beside the most that it may be");
  CLI::App* clear = cache->add_subcommand("clear", "Throw compiled files away; measured times stay");
  add_common(clear, line);
  clear->footer("stitchcuda cache clear # what a running command uses is left to it");
  cache->footer("stitchcuda cache info # where it is, how much, and who uses it now");
}

void add_completion(CLI::App* application, CommandLine* line) {
  CLI::App* verb = add_machine_verb(application, "completion", "Completion of verbs and options for your shell");
  const std::vector<std::string> shells = {"bash", "zsh", "fish"};
  add_choice(
      verb, "shell", shells, [line, shells](size_t chosen) { line->words = {shells[chosen]}; }, "The shell")
      ->required();
  verb->footer(
      "stitchcuda completion bash > ~/.local/share/bash-completion/completions/stitchcuda # bash, for good\n"
      "stitchcuda completion zsh > ~/.zfunc/_stitchcuda # zsh, with ~/.zfunc in its fpath\n"
      "stitchcuda completion fish > ~/.config/fish/completions/stitchcuda.fish # fish, for good");
}

}  // namespace

void add_machine_verbs(CLI::App* application, CommandLine* line) {
  CLI::App* doctor = add_machine_verb(application, "doctor", "What is here, what is missing, and what mends it");
  add_common(doctor, line);
  add_probe_seconds(doctor, line);
  add_team(doctor, line);
  doctor->footer(
      "stitchcuda doctor # exit status 4 where the main job cannot be done\n"
      "stitchcuda doctor --llm --team default # whether each role of a team has a model that answers");

  add_work(application, line);
  add_cache(application, line);
  add_runs(application, line);
  add_docs(application, line);
  add_completion(application, line);
  add_machine_verb(application, "man", "The manual page, in troff")
      ->footer("stitchcuda man > stitchcuda.1 # then: man ./stitchcuda.1");

  CLI::App* help = add_machine_verb(application, "help", "What a verb does, its options and examples");
  help->add_option("verb", line->words, "The verb (default: all of them)")->type_name("VERB");
  help->footer("stitchcuda help optimize # the same as: stitchcuda optimize --help");
}

}  // namespace stitch::cli
