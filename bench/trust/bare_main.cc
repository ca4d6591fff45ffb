// SPDX-License-Identifier: Apache-2.0
// stitchcuda-bare: as stitchcuda, without the trust.
#include "bare_candidate.h"
#include "cli/application/run_command.h"

int main(int argc, char** argv) { return stitch::cli::run_command(argc, argv, stitch::bench::bare_runner); }
