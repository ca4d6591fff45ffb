// SPDX-License-Identifier: Apache-2.0
// stitchcuda-tool: runs one call of a tool for its parent, on the socket that it is given as descriptor 3.
#include <fmt/format.h>
#include <sys/stat.h>

#include <csignal>

#include "base/interrupt/interrupt.h"
#include "base/process/last_will.h"
#include "toolchain/discovery/visible_gpu.h"
#include "tools/process/serve_tool.h"

int main(int argc, char**) {
  constexpr int kChannel = 3;
  struct stat facts {};
  if (argc > 1 || ::fstat(kChannel, &facts) != 0 || !S_ISSOCK(facts.st_mode)) {
    fmt::print(stderr, "stitchcuda-tool takes no arguments: it is started by stitchcuda\n");
    return 2;
  }
  std::signal(SIGPIPE, SIG_IGN);
  stitch::toolchain::count_gpus_by_bus();
  stitch::start_last_will();
  stitch::exit_on_interrupt({.before = [] {}, .after = [] {}});
  const int status = stitch::tools::serve_tool(kChannel);
  stitch::stop_handling_interrupts();
  return status;
}
