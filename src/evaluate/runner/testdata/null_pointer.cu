// SPDX-License-Identifier: Apache-2.0
#include "vector_program.h"

__global__ void null_kernel(float* nothing) { nothing[threadIdx.x] = 1.0f; }

static int launch(const VectorCall& call) {
  null_kernel<<<1, 32, 0, call.stream>>>(nullptr);
  return cudaGetLastError();
}
