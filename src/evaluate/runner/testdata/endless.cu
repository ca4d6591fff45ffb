// SPDX-License-Identifier: Apache-2.0
#include "vector_program.h"

__global__ void endless_kernel(volatile float* sum) {
  while (sum[0] != 12345.678f || sum[0] != 1.0f) {
    sum[0] = 2.0f;
  }
}

static int launch(const VectorCall& call) {
  endless_kernel<<<1, 1, 0, call.stream>>>(call.sum);
  return cudaGetLastError();
}
