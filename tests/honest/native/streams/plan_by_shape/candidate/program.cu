// SPDX-License-Identifier: Apache-2.0
// Chooses a plan in the first call with a shape and keeps it in a table.
#include "linear_relu.h"

static int run_program(const Call& call) {
  struct Plan {
    int64_t rows;
    int threads;
  };
  static Plan plans[4];
  const int64_t rows = call.raw.inputs[0].extents[0];
  Plan* plan = plans;
  while (plan->rows != 0 && plan->rows != rows) ++plan;
  if (plan->rows == 0) *plan = {rows, rows > 32 ? 256 : 64};
  linear_relu<<<blocks_for(kOutputs, plan->threads), plan->threads, 0, call.stream()>>>(
      call.input(0), call.parameter(0), call.parameter(1), call.output(0), static_cast<int>(rows));
  return cudaGetLastError();
}
