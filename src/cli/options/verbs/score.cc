// SPDX-License-Identifier: Apache-2.0
#include <CLI/App.hpp>
#include <array>

#include "cli/options/command_line.h"
#include "cli/options/shared_options.h"
#include "cli/options/verbs/verbs.h"

namespace stitch::cli {
namespace {

void add_rubric(CLI::App* verb, CommandLine* line) {
  add_refinement(verb, line);
  add_choice(
      verb, "--rubric", {"v3", "v2", "v1", "judge"},
      [line](size_t chosen) { line->rubric = std::array{"v3", "v2", "v1", "judge"}[chosen]; },
      "Marks from evidence, or those of the judge alone, from the text (default: v3)")
      ->group(kRubricGroup);
  verb->add_option("--judge", line->judge_url,
                   "A language model's endpoint in OpenAI's form, which may lower marks; its key: STITCHCUDA_JUDGE_KEY")
      ->type_name("URL")
      ->group(kRubricGroup);
  verb->add_option("--judge-model", line->judge_model, "The model to ask there (default: judge)")
      ->type_name("NAME")
      ->group(kRubricGroup);
}

}  // namespace

void add_score(CLI::App* application, CommandLine* line) {
  CLI::App* verb = application->add_subcommand("score", "Mark a program by the rubric, with reasons and citations");
  verb->group(kMainVerbs);
  verb->add_option("candidate", line->file, "Folder that optimize wrote, or a candidate for --program")
      ->required()
      ->type_name("FILE|DIR");
  verb->add_option("--program", line->program, "The PyTorch program that a candidate stands for")
      ->type_name("FILE.py[:Name]")
      ->group(kProgramGroup);
  add_rubric(verb, line);
  add_mode(verb, line);
  add_import_timeout(verb, line);
  add_scale(verb, line);
  add_seed(verb, line);
  add_math(verb, line);
  add_out(verb, line, "FILE", "Where score.json goes (default: into the folder of a program, else here)");
  add_device(verb, line);
  add_gpu_build(verb, line);
  add_cache_size(verb, line);
  add_common(verb, line);
  verb->footer(
      "stitchcuda score out/model # what ran, and what it is worth\n"
      "stitchcuda score sources --program model.py --feedback advice.txt # was the advice followed?\n"
      "stitchcuda score sources --program model.py --rubric judge --judge http://localhost:8000/v1 # by a model alone");
}

}  // namespace stitch::cli
