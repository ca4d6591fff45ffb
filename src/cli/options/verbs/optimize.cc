// SPDX-License-Identifier: Apache-2.0
#include <CLI/App.hpp>

#include "cli/options/agent_options.h"
#include "cli/options/command_line.h"
#include "cli/options/shared_options.h"
#include "cli/options/verbs/verbs.h"

namespace stitch::cli {

void add_optimize(CLI::App* application, CommandLine* line) {
  CLI::App* verb = application->add_subcommand("optimize", "PyTorch program in, verified CUDA program out");
  verb->group(kMainVerbs);
  add_program_file(verb, line);
  add_mode(verb, line);
  add_import_timeout(verb, line);
  add_weights(verb, line);
  add_math(verb, line);
  add_libraries(verb, line);
  add_device(verb, line);
  add_gpu_build(verb, line);
  verb->add_flag("--skip-nvcc", line->skip_nvcc, "Emulated device: do not compile for a GPU as well")
      ->group(kDeviceGroup);
  add_scale(verb, line);
  add_seed(verb, line);
  verb->add_flag("--no-tune", line->no_tune, "Time no settings: follow times that ship for the GPU, else estimates")
      ->group(kTuningGroup);
  add_tuning(verb, line);
  add_no_time(verb, line);
  add_baseline(verb, line);
  add_agents(verb, line);
  add_out(verb, line, "DIR", "Folder to write (default: out/NAME)");
  add_cache_size(verb, line);
  add_common(verb, line);
  verb->footer(
      "stitchcuda optimize model.py # the verified program is in out/model\n"
      "stitchcuda optimize model.py:Encoder --eval --out encoder # class Encoder of the file, in eval mode\n"
      "stitchcuda optimize model.py --math tf32 --device gpu # TF32 products; an error where there is no GPU\n"
      "stitchcuda optimize model.py --json --quiet # one JSON object for a script\n"
      "stitchcuda optimize model.py --llm http://localhost:8000/v1 --model small # steps written by a model, too");
}

}  // namespace stitch::cli
