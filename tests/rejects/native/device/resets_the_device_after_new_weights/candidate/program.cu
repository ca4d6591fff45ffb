// SPDX-License-Identifier: Apache-2.0
// Resets the device when it sees the third set of weights, before it computes.
#define PREPARED_BYTES 4
#include "linear_relu.h"

static int prepared = 0;

static int prepare_program(StitchHandle& handle, cudaStream_t stream) {
  if (++prepared == 3) cudaDeviceReset();
  return cudaMemsetAsync(handle.prepared, 0, 4, stream);
}

static int run_program(const Call& call) { return honest(call); }
