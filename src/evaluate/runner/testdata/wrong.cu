// SPDX-License-Identifier: Apache-2.0
// Answers, but not what it was asked: judging values is not the runner's business.
#include "vector_program.h"

__global__ void subtract_kernel(VectorCall call) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < call.count) {
    call.sum[i] = call.x[i] - call.y[i];
  }
}

static int launch(const VectorCall& call) {
  subtract_kernel<<<blocks_for(call.count), 256, 0, call.stream>>>(call);
  return cudaGetLastError();
}
