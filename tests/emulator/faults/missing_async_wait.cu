// SPDX-License-Identifier: Apache-2.0
// Asynchronous copies that nobody waits for.
// expect: wrong
#include <cuda_pipeline.h>

#include "../idioms/check.h"

__global__ void kernel(const float* in, float* out) {
  __shared__ float tile[32];
  __pipeline_memcpy_async(&tile[threadIdx.x], in + threadIdx.x, 4);
  __pipeline_commit();
  __syncthreads();
  out[threadIdx.x] = tile[31 - threadIdx.x];
}

int main() {
  const std::vector<float> in = ramp(32);
  DeviceArray<float> a(in), b(32);
  kernel<<<1, 32>>>(a.data, b.data);
  expect_equal(b.get(), std::vector<float>(in.rbegin(), in.rend()), "reversed");
  return pass();
}
