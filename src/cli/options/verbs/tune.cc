// SPDX-License-Identifier: Apache-2.0
#include <CLI/App.hpp>

#include "cli/options/command_line.h"
#include "cli/options/shared_options.h"
#include "cli/options/verbs/verbs.h"

namespace stitch::cli {
namespace {

void add_export(CLI::App* tune, CommandLine* line) {
  CLI::App* verb = tune->add_subcommand("export", "Measured times of several databases as one text, as it ships");
  verb->add_option("databases", line->words,
                   "Databases of `tune`, and texts made of such (default: the one in the cache)")
      ->type_name("DB");
  add_out(verb, line, "FILE", "File to write; NAME.jsonl: each time beside its estimate (default: standard output)");
  add_common(verb, line);
  verb->footer(
      "stitchcuda tune export a.sqlite b.sqlite --out nvidia-h200.txt # optimize --tuning-database takes it\n"
      "stitchcuda tune export --out times.jsonl # for bench/kernels/fit");
}

}  // namespace

void add_tune(CLI::App* application, CommandLine* line) {
  CLI::App* verb =
      application->add_subcommand("tune", "Time the settings of a program's steps on the GPU, and keep the times");
  verb->group(kMainVerbs);
  verb->require_subcommand(0, 1);
  add_file(verb, line, "FILE.py[:Name]", "The PyTorch program; Name: a class or function of it (default: Model)");
  add_mode(verb, line);
  add_import_timeout(verb, line);
  add_math(verb, line);
  add_libraries(verb, line);
  add_tuning(verb, line);
  add_out(verb, line, "FILE", "Plan file to write, by the times that are known then (default: none)");
  add_cache_size(verb, line);
  add_common(verb, line);
  verb->footer("stitchcuda tune model.py --tune-seconds 600 # ten minutes; optimize then plans by these times");
  add_export(verb, line);
}

}  // namespace stitch::cli
