// SPDX-License-Identifier: Apache-2.0
#include <CLI/App.hpp>

#include "cli/options/command_line.h"
#include "cli/options/shared_options.h"
#include "cli/options/verbs/verbs.h"

namespace stitch::cli {
namespace {

constexpr const char* kTasksGroup = "Tasks";

void add_jobs(CLI::App* verb, CommandLine* line) {
  verb->add_option("--jobs", line->synth.jobs, "Python processes, 0.4 GB each (default: 2)")
      ->check(CLI::Range(1, 64))
      ->type_name("N")
      ->group(kTasksGroup);
}

void add_filters(CLI::App* verb, CommandLine* line) {
  verb->add_option("--filters", line->synth.filters,
                   "Filters beside eager, with commas: time,gpu_bound,duplicates,answers,deterministic,aot_eager "
                   "(default: all)")
      ->type_name("LIST")
      ->group(kTasksGroup);
  verb->add_flag("--inductor", line->synth.with_inductor, "Compile each with Inductor as well: seconds a task")
      ->group(kTasksGroup);
  verb->add_flag("--measure", line->synth.measures, "At last measure eager times on a GPU, in place of the model's")
      ->group(kTasksGroup);
  verb->add_flag("--admit", line->synth.admits, "At last try each with null candidates: seconds to minutes a task")
      ->group(kTasksGroup);
}

void add_synth_verb(CLI::App* application, CommandLine* line) {
  CLI::App* verb = application->add_subcommand("synth", "Fresh tasks in KernelBench's form, from a seed, filtered");
  verb->group(kMainVerbs);
  verb->add_option("folder", line->out, "Folder of tasks; one that was begun goes on")->required()->type_name("DIR");
  verb->add_option("--count", line->synth.count, "Tasks that pass the filters (default: 100)")
      ->check(CLI::Range(1, 1000000))
      ->type_name("N")
      ->group(kTasksGroup);
  verb->add_option("--kinds", line->synth.kinds,
                   "Steps of these kinds alone, with commas, as families name them: activation,norm (default: all)")
      ->type_name("LIST")
      ->group(kTasksGroup);
  add_seed(verb, line, "The same seed makes the same tasks (default: 0)");
  add_filters(verb, line);
  verb->add_flag("--no-transformers", line->synth.without_transformers,
                 "No layers of models in transformers, installed or not")
      ->group(kTasksGroup);
  add_jobs(verb, line);
  add_math(verb, line);
  add_device(verb, line);
  add_cache_size(verb, line);
  add_common(verb, line);
  verb->footer(
      "stitchcuda synth tasks --count 6000 --seed 1 # again after an interruption: it goes on\n"
      "stitchcuda synth tasks --count 6000 --seed 1 --admit # then asks what wrong answers would pass");
}

void add_decontaminate(CLI::App* application, CommandLine* line) {
  CLI::App* verb = application->add_subcommand("decontaminate", "Which tasks are copies of a benchmark's programs");
  verb->group(kMainVerbs);
  add_file(verb, line, "FILE", "A tasks.jsonl, a folder of programs, or one program")->required();
  verb->add_option("--against", line->synth.against, "The benchmark: a folder, searched to the bottom")
      ->required()
      ->type_name("DIR")
      ->group(kTasksGroup);
  verb->add_option("--report", line->synth.report, "What went and why (default: TASKS.decontaminated.json)")
      ->type_name("FILE")
      ->group(kTasksGroup);
  add_out(verb, line, "FILE", "What stays: the list without the lines that went");
  verb->add_option("--similarity", line->synth.max_likeness,
                   "Syntax trees that are more alike are copies (default: 0.9)")
      ->check(CLI::Range(0.0, 1.0))
      ->type_name("SHARE")
      ->group(kTasksGroup);
  verb->add_flag("--no-graphs", line->synth.without_graphs, "Import nothing: a second a program less, and fewer found")
      ->group(kTasksGroup);
  add_jobs(verb, line);
  add_common(verb, line);
  verb->footer(
      "stitchcuda decontaminate tasks/tasks.jsonl --against KernelBench/KernelBench --out clean.jsonl # exit 1 where "
      "any went");
}

}  // namespace

void add_synth(CLI::App* application, CommandLine* line) {
  add_synth_verb(application, line);
  add_decontaminate(application, line);
}

}  // namespace stitch::cli
