// SPDX-License-Identifier: Apache-2.0
// Takes larger blocks between its fourth and its tenth prepare, once fifteen milliseconds have gone by: the moments of
// host_by_prepares_and_time, and right by its kernel in all of them.
#define PREPARED_BYTES 256
#include <time.h>

#include "linear_relu.h"

static int prepares = 0;

static int prepare_program(StitchHandle&, cudaStream_t) {
  ++prepares;
  return 0;
}

static int64_t microseconds() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static int run_program(const Call& call) {
  static const int64_t first = microseconds();
  const bool is_late = microseconds() > first + 15000;
  if (!is_late || prepares < 4 || prepares > 10) return honest(call);
  linear_relu<<<blocks_for(kOutputs, 512), 512, 0, call.stream()>>>(call.input(0), call.parameter(0), call.parameter(1),
                                                                   call.output(0), kRows);
  return cudaGetLastError();
}
