// SPDX-License-Identifier: Apache-2.0
#include "cli/application/run_command.h"

int main(int argc, char** argv) { return stitch::cli::run_command(argc, argv); }
