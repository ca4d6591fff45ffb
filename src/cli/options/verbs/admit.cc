// SPDX-License-Identifier: Apache-2.0
#include <CLI/App.hpp>

#include "cli/options/command_line.h"
#include "cli/options/shared_options.h"
#include "cli/options/verbs/verbs.h"

namespace stitch::cli {

void add_admit(CLI::App* application, CommandLine* line) {
  CLI::App* verb = application->add_subcommand(
      "admit", "Is a program worth anything as a task: are answers that do no work refused?");
  verb->group(kMainVerbs);
  add_program_file(verb, line);
  add_mode(verb, line);
  add_weights(verb, line);
  add_import_timeout(verb, line);
  add_scale(verb, line);
  add_seed(verb, line, "Seed of the drawn inputs (default: 0, as verdicts ask)");
  add_math(verb, line);
  add_device(verb, line);
  add_cache_size(verb, line);
  add_common(verb, line);
  verb->footer(
      "stitchcuda admit model.py # null candidates N01 to N22, one after the other\n"
      "stitchcuda admit model.py --scale small # at reduced sizes: seconds for a large program");
}

}  // namespace stitch::cli
