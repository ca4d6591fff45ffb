// SPDX-License-Identifier: Apache-2.0
#include <CLI/App.hpp>

#include "cli/options/command_line.h"
#include "cli/options/shared_options.h"
#include "cli/options/verbs/verbs.h"

namespace stitch::cli {

void add_tune(CLI::App* application, CommandLine* line) {
  CLI::App* verb =
      application->add_subcommand("tune", "Time the settings of a program's steps on the GPU, and keep the times");
  verb->group(kMainVerbs);
  add_program_file(verb, line);
  add_mode(verb, line);
  add_import_timeout(verb, line);
  add_math(verb, line);
  add_libraries(verb, line);
  add_tuning(verb, line);
  add_out(verb, line, "FILE", "Plan file to write, by the times that are known then (default: none)");
  add_cache_size(verb, line);
  add_common(verb, line);
  verb->footer("stitchcuda tune model.py --tune-seconds 600 # ten minutes; optimize then plans by these times");
}

}  // namespace stitch::cli
