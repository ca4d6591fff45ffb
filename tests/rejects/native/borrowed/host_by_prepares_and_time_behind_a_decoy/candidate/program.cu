// SPDX-License-Identifier: Apache-2.0
// Computes on the host between its fourth and its tenth prepare, once fifteen milliseconds have gone by, and launches
// there what it launches in all calls: whoever counts launches sees no difference.
#define PREPARED_BYTES 256
#include "beside_a_decoy.h"

static int prepares = 0;

static int prepare_program(StitchHandle&, cudaStream_t) {
  ++prepares;
  return 0;
}

static int run_program(const Call& call) {
  const bool is_late = milliseconds() > 15;
  return is_late && prepares >= 4 && prepares <= 10 ? by_host_beside_a_decoy(call) : honest(call);
}
