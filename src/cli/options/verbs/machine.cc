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

}  // namespace

void add_machine_verbs(CLI::App* application, CommandLine* line) {
  CLI::App* doctor = add_machine_verb(application, "doctor", "What is here, what is missing, and what mends it");
  add_common(doctor, line);
  doctor->footer("stitchcuda doctor # exit status 4 where the main job cannot be done");

  CLI::App* help = add_machine_verb(application, "help", "What a verb does, its options and examples");
  help->add_option("verb", line->words, "The verb (default: all of them)")->type_name("VERB");
  help->footer("stitchcuda help optimize # the same as: stitchcuda optimize --help");
}

}  // namespace stitch::cli
