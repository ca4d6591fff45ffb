// SPDX-License-Identifier: Apache-2.0
// Names a header by a macro, and has headers of several endings.
#include "config.hh"
#include "kernels/tile.cuh"
#include "linear_relu.h"
#include TILE_HEADER
static int run_program(const Call& call) {
  return launch_rows(call.input(0), call.parameter(0), call.parameter(1), call.output(0), call.stream());
}
