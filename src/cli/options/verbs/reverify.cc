// SPDX-License-Identifier: Apache-2.0
#include <CLI/App.hpp>

#include "cli/options/command_line.h"
#include "cli/options/shared_options.h"
#include "cli/options/verbs/verbs.h"

namespace stitch::cli {

void add_reverify(CLI::App* application, CommandLine* line) {
  CLI::App* verb = application->add_subcommand("reverify", "Repeat a verdict from its evidence, here");
  verb->group(kMainVerbs);
  add_file(verb, line, "DIR", "Folder that optimize wrote, here or elsewhere")->required();
  add_import_timeout(verb, line);
  add_device(verb, line);
  add_gpu_build(verb, line);
  add_cache_size(verb, line);
  add_common(verb, line);
  verb->footer("stitchcuda reverify out/model # was anything changed, and does the verdict come out again?");
}

}  // namespace stitch::cli
