// SPDX-License-Identifier: Apache-2.0
#include "tools/workspace/workspace.h"

#include <fmt/format.h>

#include "base/json/json.h"
#include "cli/commands/commands.h"
#include "cli/options/request.h"

namespace stitch::cli {

Result<int> run_workspace(Invocation& invocation) {
  const CommandLine& line = invocation.line();
  STITCH_ASSIGN(driver::Options options, options_of(line));
  STITCH_ASSIGN(
      const tools::WorkspaceReport written,
      tools::write_workspace({task_of(line, line.program), line.out, std::move(options)}, invocation.services()));
  invocation.reporter().result(Json{{"schema", "stitchcuda.workspace/1"},
                                    {"task", task_name(line.program)},
                                    {"operators", written.operators},
                                    {"steps", written.steps},
                                    {"modelled_us", written.modelled_us},
                                    {"out", written.folder.string()}},
                               fmt::format("task, contract, SKILL.md and the expert's program ({} steps, {:.1f} us "
                                           "modelled)  ->  {}",
                                           written.steps, written.modelled_us, written.folder.string()));
  return 0;
}

}  // namespace stitch::cli
