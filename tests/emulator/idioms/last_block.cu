// SPDX-License-Identifier: Apache-2.0
// A reduction in one launch: the block that finishes last, found by an atomic counter, adds up the parts.
#include "check.h"

__device__ unsigned int finished = 0;

__global__ void total(const float* in, float* parts, float* out, int n) {
  __shared__ float shared[128];
  __shared__ bool is_last;
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += in[i];
  shared[threadIdx.x] = sum;
  __syncthreads();
  for (int step = 64; step > 0; step >>= 1) {
    if (threadIdx.x < step) shared[threadIdx.x] += shared[threadIdx.x + step];
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    parts[blockIdx.x] = shared[0];
    __threadfence();
    is_last = atomicInc(&finished, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (is_last && threadIdx.x == 0) {
    volatile float* seen = parts;
    float all = 0;
    for (int b = 0; b < gridDim.x; ++b) all += seen[b];
    *out = all;
  }
}

__device__ int lock = 0;
__global__ void critical(int* value) {
  if (threadIdx.x == 0) {
    while (atomicCAS(&lock, 0, 1) != 0) {
    }
    __threadfence();
    *static_cast<volatile int*>(value) = *static_cast<volatile int*>(value) + 1;
    __threadfence();
    atomicExch(&lock, 0);
  }
}

int main() {
  const int n = 5000;
  const std::vector<float> in = ramp(n);
  double expected = 0;
  for (const float x : in) expected += x;
  DeviceArray<float> a(in), parts(7), out(1);
  for (int repeat = 0; repeat < 2; ++repeat) {
    total<<<7, 128>>>(a.data, parts.data, out.data, n);
    expect_near(out.get(), {expected}, 1e-4, "total");
  }
  DeviceArray<int> value(std::vector<int>{0});
  critical<<<20, 32>>>(value.data);
  expect_equal(value.get(), std::vector<int>{20}, "critical section");
  return pass();
}
