// SPDX-License-Identifier: Apache-2.0
// Parses the command line, runs the verb, turns an Error into its sentence and exit status.
#pragma once

#include "cli/commands/invocation.h"

namespace stitch::cli {

// Returns the exit status. Call once, first thing in main().
int run_command(int argc, char** argv, driver::RunCandidates run_candidates = evaluate::program_runner_factory);

}  // namespace stitch::cli
