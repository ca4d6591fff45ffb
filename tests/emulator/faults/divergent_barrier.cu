// SPDX-License-Identifier: Apache-2.0
// Half of the block skips the barrier.
// expect: fault
// says: {HERE}: barrier divergence
// says: kernel kernel
#include "../idioms/check.h"

__global__ void kernel(int* x) {
  if (threadIdx.x < 16) {
    x[threadIdx.x] = 1;
    __syncthreads();  // HERE
  }
  x[threadIdx.x + 64] = 2;
}

int main() {
  DeviceArray<int> x(128);
  kernel<<<1, 64>>>(x.data);
  CHECK(cudaDeviceSynchronize());
  return pass();
}
