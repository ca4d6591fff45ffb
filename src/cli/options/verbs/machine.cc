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

}  // namespace

void add_machine_verbs(CLI::App* application, CommandLine* line) {
  CLI::App* doctor = add_machine_verb(application, "doctor", "What is here, what is missing, and what mends it");
  add_common(doctor, line);
  doctor->footer("stitchcuda doctor # exit status 4 where the main job cannot be done");

  add_cache(application, line);

  CLI::App* help = add_machine_verb(application, "help", "What a verb does, its options and examples");
  help->add_option("verb", line->words, "The verb (default: all of them)")->type_name("VERB");
  help->footer("stitchcuda help optimize # the same as: stitchcuda optimize --help");
}

}  // namespace stitch::cli
