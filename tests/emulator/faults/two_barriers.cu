// SPDX-License-Identifier: Apache-2.0
// The two halves of the block wait at different barriers.
// expect: fault
// says: {HERE}: barrier divergence
// says: waits in __syncthreads at two_barriers.cu:
#include "../idioms/check.h"

__global__ void kernel(int* x) {
  if (threadIdx.x < 32) {
    __syncthreads();
    x[threadIdx.x] = 1;
  } else {
    __syncthreads();  // HERE
    x[threadIdx.x] = 2;
  }
}

int main() {
  DeviceArray<int> x(64);
  kernel<<<1, 64>>>(x.data);
  return pass();
}
