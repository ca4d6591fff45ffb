// SPDX-License-Identifier: Apache-2.0
// Counts on shared memory being zero.
// expect: wrong
#include "../idioms/check.h"

__global__ void kernel(float* out) {
  __shared__ float sum;
  atomicAdd(&sum, 1.0f);
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

int main() {
  DeviceArray<float> a(2);
  kernel<<<2, 32>>>(a.data);
  expect_equal(a.get(), std::vector<float>{32, 32}, "sums");
  return pass();
}
