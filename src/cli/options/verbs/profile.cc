// SPDX-License-Identifier: Apache-2.0
#include <CLI/App.hpp>

#include "cli/options/command_line.h"
#include "cli/options/shared_options.h"
#include "cli/options/verbs/verbs.h"

namespace stitch::cli {

void add_profile(CLI::App* application, CommandLine* line) {
  CLI::App* verb =
      application->add_subcommand("profile", "What each step costs: counted work and what ran, or measured on a GPU");
  verb->group(kMainVerbs);
  add_file(verb, line, "FILE.py[:Name]", "A folder that optimize wrote, or a PyTorch program, as the expert plans it")
      ->required();
  add_step(verb, line, "One step alone");
  verb->add_option("--rung", line->rung,
                   "That profiler alone: ncu, cupti, nsys, executed, sass, roofline (default: the best one here)")
      ->type_name("NAME")
      ->group(kVerdictGroup);
  add_mode(verb, line);
  add_import_timeout(verb, line);
  add_weights(verb, line);
  add_math(verb, line);
  add_libraries(verb, line);
  add_device(verb, line);
  add_scale(verb, line);
  add_gpu_build(verb, line);
  add_common(verb, line);
  verb->footer(
      "stitchcuda profile out/model # every step: bytes, FLOPs, floor, time\n"
      "stitchcuda profile model.py --device emulated # a program that nobody has optimized yet\n"
      "stitchcuda profile out/model --step 0 --json # one step, for a script");
}

}  // namespace stitch::cli
