// SPDX-License-Identifier: Apache-2.0
#include <CLI/App.hpp>

#include "cli/options/command_line.h"
#include "cli/options/shared_options.h"
#include "cli/options/verbs/verbs.h"

namespace stitch::cli {

void add_verify(CLI::App* application, CommandLine* line) {
  CLI::App* verb =
      application->add_subcommand("verify", "Judge a program of ours, or a candidate against a PyTorch program");
  verb->group(kMainVerbs);
  verb->add_option("folder", line->file, "Folder that optimize wrote")->type_name("DIR");
  CLI::Option* program =
      verb->add_option("--program", line->program, "The PyTorch program that a candidate stands for");
  program->type_name("FILE.py[:Name]")->group(kProgramGroup);
  CLI::Option* candidate =
      verb->add_option("--candidate", line->candidate,
                       "Program to judge, whoever wrote it: a folder of *.cu, a .so, or ModelNew in a .py");
  candidate->needs(program)->type_name("FILE|DIR")->group(kProgramGroup);
  verb->add_flag("--admitted-only", line->admitted_only,
                 "No verdict on a candidate for a program that 'stitchcuda admit' refuses as a task")
      ->group(kProgramGroup);
  CLI::Option* score = verb->add_flag("--score", line->with_score, "Mark a right candidate by the rubric, too");
  score->needs(candidate)->group(kRubricGroup);
  add_refinement(verb, line);
  for (const char* const marked_by : {"--skill", "--feedback", "--previous"}) {
    verb->get_option(marked_by)->needs(score);
  }
  add_mode(verb, line);
  add_import_timeout(verb, line);
  add_step(verb, line, "Judge one step alone");
  verb->add_flag("--public", line->public_check,
                 "No verdict: two draws that everybody knows, sanitizers, first wrong places")
      ->excludes(program)
      ->group(kVerdictGroup);
  add_scale(verb, line);
  add_seed(verb, line);
  add_math(verb, line);
  verb->add_option("--call-timeout", line->call_timeout_seconds, "How long one call may take (default: 120)")
      ->check(CLI::Range(0.1, 86400.0))
      ->type_name("SECONDS")
      ->group(kVerdictGroup);
  verb->add_option("--total-timeout", line->total_timeout_seconds,
                   "How long all calls of a --candidate may take together (default: ten times --call-timeout)")
      ->check(CLI::Range(0.1, 864000.0))
      ->type_name("SECONDS")
      ->group(kVerdictGroup);
  add_no_time(verb, line);
  add_baseline(verb, line);
  add_device(verb, line);
  add_gpu_build(verb, line);
  add_cache_size(verb, line);
  add_common(verb, line);
  verb->footer(
      "stitchcuda verify out/model # again, with what was edited there\n"
      "stitchcuda verify out/model --step 1 # the file steps/01_*.cu alone\n"
      "stitchcuda verify out/model --step 1 --public # where that file is wrong, for who mends it\n"
      "stitchcuda verify --candidate sources --program model.py # sources that somebody else wrote");
}

}  // namespace stitch::cli
