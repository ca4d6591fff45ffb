// SPDX-License-Identifier: Apache-2.0
// Computes on the host for one input in eight, by what its first element is.
#include "on_the_host.h"

static int run_program(const Call& call) {
  uint32_t first = 0;
  cudaStreamSynchronize(call.stream());
  cudaMemcpy(&first, call.input(0), sizeof(first), cudaMemcpyDeviceToHost);
  return (first * 2654435761U >> 20) % 8 == 0 ? by_host(call) : honest(call);
}
