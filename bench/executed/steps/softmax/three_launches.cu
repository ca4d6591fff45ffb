// SPDX-License-Identifier: Apache-2.0
// Exponentials and their quotients by launches of their own; values are small enough to need no maximum here.
#include "stitch/step.h"

constexpr int kRows = 8192;
constexpr int kColumns = 1024;

__global__ void exponentials(const float* from, float* to) {
  const int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  to[i] = expf(from[i]);
}

__global__ void quotients(float* to) {
  float* x = to + int64_t{blockIdx.x} * kColumns;
  __shared__ float sums[32];
  float sum = 0;
  for (unsigned i = threadIdx.x; i < kColumns; i += 32) {
    sum += x[i];
  }
  sums[threadIdx.x] = sum;
  __syncwarp();
  float total = 0;
  for (int i = 0; i < 32; ++i) {
    total += sums[i];
  }
  for (unsigned i = threadIdx.x; i < kColumns; i += 32) {
    x[i] = x[i] / total;
  }
}

extern "C" int step_00(const StepArgs* args, cudaStream_t stream) {
  auto* to = static_cast<float*>(args->tensors[1]);
  exponentials<<<kRows * kColumns / 256, 256, 0, stream>>>(static_cast<const float*>(args->tensors[0]), to);
  quotients<<<kRows, 32, 0, stream>>>(to);
  return cudaGetLastError();
}
