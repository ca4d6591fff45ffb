// SPDX-License-Identifier: Apache-2.0
// A block a row, three times over it in global memory, sums by trees in shared memory.
#include "stitch/step.h"

constexpr int kRows = 8192;
constexpr int kColumns = 1024;
constexpr int kThreads = 256;

template <typename Join>
__device__ float joined(float value, float* shared, const Join& join) {
  shared[threadIdx.x] = value;
  __syncthreads();
  for (unsigned width = kThreads / 2; width > 0; width /= 2) {
    if (threadIdx.x < width) {
      shared[threadIdx.x] = join(shared[threadIdx.x], shared[threadIdx.x + width]);
    }
    __syncthreads();
  }
  const float result = shared[0];
  __syncthreads();
  return result;
}

__global__ void softmax(const float* from, float* to) {
  __shared__ float shared[kThreads];
  const float* x = from + int64_t{blockIdx.x} * kColumns;
  float most = -INFINITY;
  for (unsigned i = threadIdx.x; i < kColumns; i += kThreads) {
    most = fmaxf(most, x[i]);
  }
  most = joined(most, shared, [](float a, float b) { return fmaxf(a, b); });
  float sum = 0;
  for (unsigned i = threadIdx.x; i < kColumns; i += kThreads) {
    sum += expf(x[i] - most);
  }
  sum = joined(sum, shared, [](float a, float b) { return a + b; });
  for (unsigned i = threadIdx.x; i < kColumns; i += kThreads) {
    to[int64_t{blockIdx.x} * kColumns + i] = expf(x[i] - most) / sum;
  }
}

extern "C" int step_00(const StepArgs* args, cudaStream_t stream) {
  softmax<<<kRows, kThreads, 0, stream>>>(static_cast<const float*>(args->tensors[0]),
                                          static_cast<float*>(args->tensors[1]));
  return cudaGetLastError();
}
