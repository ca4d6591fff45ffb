// SPDX-License-Identifier: Apache-2.0
// Raises a signal when its library is told of new weights, and goes on.
#define PREPARED_BYTES 4
#include <signal.h>

#include "linear_relu.h"

static int prepare_program(StitchHandle& handle, cudaStream_t stream) {
  static int times = 0;
  if (++times == 2) raise(SIGILL);
  return cudaMemsetAsync(handle.prepared, 0, 4, stream);
}

static int run_program(const Call& call) { return honest(call); }
