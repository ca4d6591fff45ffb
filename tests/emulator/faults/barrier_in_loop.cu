// SPDX-License-Identifier: Apache-2.0
// Threads go round a loop with a barrier a different number of times.
// expect: fault
// says: {HERE}
// says: barrier divergence
#include "../idioms/check.h"

__global__ void kernel(int* x) {
  for (int i = 0; i <= threadIdx.x % 3; ++i) {
    x[threadIdx.x] += i;
    __syncthreads();  // HERE
  }
}

int main() {
  DeviceArray<int> x(std::vector<int>(48, 0));
  kernel<<<1, 48>>>(x.data);
  return pass();
}
