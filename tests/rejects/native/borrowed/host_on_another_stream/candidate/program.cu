// SPDX-License-Identifier: Apache-2.0
// Computes on the host whenever it is called on another stream than before.
#include "on_the_host.h"

static int run_program(const Call& call) {
  static cudaStream_t last = call.stream();
  const bool is_another = call.stream() != last;
  last = call.stream();
  return is_another ? by_host(call) : honest(call);
}
