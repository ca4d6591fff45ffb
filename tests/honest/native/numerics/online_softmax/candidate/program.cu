// SPDX-License-Identifier: Apache-2.0
// Finds maximum and sum of a row in one pass.
#define TENSORS INPUT("x", F32, 16, 4096), OUTPUT("0", F32, 16, 4096)
#include "candidate.h"

__global__ void softmax(const float* x, float* y) {
  __shared__ float tops[128], sums[128];
  const float* row = x + blockIdx.x * 4096;
  float top = -INFINITY, sum = 0.0f;
  for (int k = threadIdx.x; k < 4096; k += 128) {
    const float higher = fmaxf(top, row[k]);
    sum = sum * expf(top - higher) + expf(row[k] - higher);
    top = higher;
  }
  tops[threadIdx.x] = top;
  sums[threadIdx.x] = sum;
  __syncthreads();
  float all = -INFINITY, total = 0.0f;
  for (int t = 0; t < 128; ++t) all = fmaxf(all, tops[t]);
  for (int t = 0; t < 128; ++t) total += sums[t] * expf(tops[t] - all);
  for (int k = threadIdx.x; k < 4096; k += 128) y[blockIdx.x * 4096 + k] = expf(row[k] - all) / total;
}

static int run_program(const Call& call) {
  softmax<<<16, 128, 0, call.stream()>>>(call.input(0), call.output(0));
  return cudaGetLastError();
}
