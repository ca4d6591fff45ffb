// SPDX-License-Identifier: Apache-2.0
#include "codegen/emit.h"

#include <fmt/format.h>

#include "codegen/print/program_text.h"
#include "codegen/print/step_text.h"
#include "codegen/raise/raise_program.h"
#include "codegen/raise/raise_step.h"
#include "codegen/runtime_files.h"

namespace stitch::codegen {

std::string step_file_name(const plan::Plan& plan, size_t index, size_t first_number) {
  return fmt::format("steps/{:02}_{}.cu", first_number + index, plan.steps[index].name);
}

Result<SourceBundle> emit(const plan::Plan& plan, const EmitOptions& options) {
  SourceBundle bundle;
  bundle.name = plan.graph.name;
  std::vector<std::vector<std::string>> extent_names(plan.steps.size());
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    STITCH_ASSIGN(const StepFile step, raise_step(plan, i, options.first_number + i));
    const std::string path = step_file_name(plan, i, options.first_number);
    bundle.files[path] = step.written.empty() ? print_step(step) : step.written;
    bundle.units.push_back(path);
    for (const kernels::NamedExtent& extent : step.code.extents) {
      extent_names[i].push_back(extent.name);
    }
  }
  ProgramFile program = raise_program(plan, extent_names);
  program.first_number = options.first_number;
  bundle.files["program.cu"] = print_program(program);
  bundle.files["program.h"] = print_program_header(program);
  bundle.units.push_back("program.cu");
  STITCH_TRY(add_runtime_files(options.runtime_folder, options.architectures, bundle));
  return bundle;
}

}  // namespace stitch::codegen
