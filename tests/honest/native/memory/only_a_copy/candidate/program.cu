// SPDX-License-Identifier: Apache-2.0
// Copies, as the reference does, without a kernel of its own.
#define TENSORS INPUT("x", F32, 64, 300), OUTPUT("0", F32, 64, 300)
#include "candidate.h"

static int run_program(const Call& call) {
  return cudaMemcpyAsync(call.output(0), call.input(0), 64 * 300 * sizeof(float), cudaMemcpyDeviceToDevice,
                         call.stream());
}
