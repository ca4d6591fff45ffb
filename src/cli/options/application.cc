// SPDX-License-Identifier: Apache-2.0
#include "cli/options/application.h"

#include <CLI/CLI.hpp>

#include "cli/options/command_line.h"
#include "cli/options/reference/surroundings.h"
#include "cli/options/verbs/verbs.h"

namespace stitch::cli {

std::unique_ptr<CLI::App> make_application(CommandLine* line) {
  auto application =
      std::make_unique<CLI::App>("A PyTorch program in, a verified and faster CUDA program out.", "stitchcuda");
  application->footer(
      "stitchcuda doctor # what is here, what is missing, what mends it\n"
      "stitchcuda optimize model.py # the verified program is in out/model\n"
      "stitchcuda help optimize # options and examples of a verb\n"
      "Exit status: 0 verified or done; 1 not verified; 2 usage; 3 the program cannot be taken; 4 the environment "
      "lacks "
      "something; 5 internal error; 130 interrupted.");
  application->require_subcommand(1);
  application->set_help_flag("-h,--help", "What it does, its options and examples");
  application->set_version_flag("--version", std::string("stitchcuda ") + kVersion, "The version");
  add_optimize(application.get(), line);
  add_verify(application.get(), line);
  add_admit(application.get(), line);
  add_reverify(application.get(), line);
  add_score(application.get(), line);
  add_profile(application.get(), line);
  add_tune(application.get(), line);
  add_report(application.get(), line);
  add_synth(application.get(), line);
  add_bench(application.get(), line);
  add_agent_verbs(application.get(), line);
  add_stages(application.get(), line);
  add_machine_verbs(application.get(), line);
  return application;
}

VerbReference command_reference() {
  CommandLine unused;
  return make_reference(*make_application(&unused));
}

}  // namespace stitch::cli
