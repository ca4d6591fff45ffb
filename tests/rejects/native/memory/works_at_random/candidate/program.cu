// SPDX-License-Identifier: Apache-2.0
// Wrong in one call of four, by the clock.
#include <time.h>

#include "linear_relu.h"

static int run_program(const Call& call) {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  const int rows = now.tv_nsec / 1000 % 4 == 0 ? kRows - 8 : kRows;
  return compute(call.input(0), call.parameter(0), call.parameter(1), call.output(0), call.stream(), rows);
}
