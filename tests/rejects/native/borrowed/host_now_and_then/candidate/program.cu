// SPDX-License-Identifier: Apache-2.0
// Computes on the host in every third millisecond, by its kernel in the others.
#include <time.h>

#include "on_the_host.h"

static int run_program(const Call& call) {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_nsec / 1000000 % 3 == 0 ? by_host(call) : honest(call);
}
