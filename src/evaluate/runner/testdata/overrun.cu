// SPDX-License-Identifier: Apache-2.0
// Writes one element behind the end of its output, inside the last page: only the checked device can name the line.
#include "vector_program.h"

__global__ void overrun_kernel(VectorCall call) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i <= call.count) {
    call.sum[i] = 1.0f;
  }
}

static int launch(const VectorCall& call) {
  overrun_kernel<<<blocks_for(call.count + 1), 256, 0, call.stream>>>(call);
  return cudaGetLastError();
}
