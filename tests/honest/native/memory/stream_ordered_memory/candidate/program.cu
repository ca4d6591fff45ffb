// SPDX-License-Identifier: Apache-2.0
// Takes and returns scratch memory in the order of the stream.
#include "split_depth.h"

static int run_program(const Call& call) {
  float* parts = nullptr;
  cudaMallocAsync(&parts, kPartsBytes, call.stream());
  const int failed = compute_in_parts(call, parts);
  const int kept = cudaFreeAsync(parts, call.stream());
  return failed != 0 ? failed : kept;
}
