// SPDX-License-Identifier: Apache-2.0
// import, plan, emit, build: each reads the file of the stage before.
#include <CLI/App.hpp>

#include "cli/options/command_line.h"
#include "cli/options/shared_options.h"
#include "cli/options/verbs/verbs.h"

namespace stitch::cli {
namespace {

CLI::App* add_stage(CLI::App* application, const char* name, const char* text) {
  CLI::App* verb = application->add_subcommand(name, text);
  verb->group(kStageVerbs);
  return verb;
}

void add_import(CLI::App* application, CommandLine* line) {
  CLI::App* verb = add_stage(application, "import", "PyTorch program to graph (graph.ir)");
  add_program_file(verb, line);
  add_mode(verb, line);
  add_import_timeout(verb, line);
  add_weights(verb, line);
  add_scale(verb, line);
  add_out(verb, line, "FILE", "Graph file to write (default: standard output)");
  add_common(verb, line);
  verb->footer("stitchcuda import model.py --out graph.ir # docs/formats.md says how to read it");
}

void add_plan(CLI::App* application, CommandLine* line) {
  CLI::App* verb = add_stage(application, "plan", "Graph to kernel-sized steps (plan.json)");
  add_file(verb, line, "FILE", "graph.ir, as import writes it")->required();
  add_math(verb, line);
  add_libraries(verb, line);
  add_target(verb, line);
  verb->add_option("--tuning-database", line->tuning_database,
                   "Measured times as text, by `tune export` (default: those that ship for the GPU here)")
      ->type_name("FILE")
      ->group(kTuningGroup);
  add_out(verb, line, "FILE", "Plan file to write (default: standard output)");
  add_common(verb, line);
  verb->footer("stitchcuda plan graph.ir --out plan.json # for the GPU here, or an H200");
}

void add_emit(CLI::App* application, CommandLine* line) {
  CLI::App* verb = add_stage(application, "emit", "Plan to CUDA sources: a standalone CMake project");
  add_file(verb, line, "FILE", "plan.json, as plan writes it")->required();
  verb->add_option("--program", line->program, "The PyTorch program: write its Python forms too")
      ->type_name("FILE.py[:Name]")
      ->group(kProgramGroup);
  add_target(verb, line);
  add_out(verb, line, "DIR", "Folder to write (default: out/NAME)");
  add_common(verb, line);
  verb->footer("stitchcuda emit plan.json --program model.py --out sources # with model_new.py");
}

void add_build(CLI::App* application, CommandLine* line) {
  CLI::App* verb = add_stage(application, "build", "Sources to a library for a device");
  add_file(verb, line, "DIR", "Folder, as emit writes it")->required();
  add_device(verb, line);
  add_gpu_build(verb, line);
  add_out(verb, line, "FILE", "Library to write (default: left in the cache)");
  add_common(verb, line);
  verb->footer("stitchcuda build sources --device emulated --out model.so # by g++, to run without a GPU");
}

}  // namespace

void add_stages(CLI::App* application, CommandLine* line) {
  add_import(application, line);
  add_plan(application, line);
  add_emit(application, line);
  add_build(application, line);
}

}  // namespace stitch::cli
