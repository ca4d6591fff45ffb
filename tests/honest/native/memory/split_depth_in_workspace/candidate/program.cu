// SPDX-License-Identifier: Apache-2.0
// Splits the depth and adds the parts up from the workspace, in a second pass.
#define WORKSPACE_BYTES (4 * 64 * 40 * 4)
#include "split_depth.h"

static int run_program(const Call& call) {
  float* parts = call.workspace();
  return compute_in_parts(call, parts);
}
