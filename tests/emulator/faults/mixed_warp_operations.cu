// SPDX-License-Identifier: Apache-2.0
// Lanes of one warp meet in different operations with the same mask.
// expect: fault
// says: {HERE}
// says: same mask
#include "../idioms/check.h"

__global__ void kernel(int* x) {
  if (threadIdx.x % 2 == 0) {
    x[threadIdx.x] = __shfl_xor_sync(0xffffffffu, x[threadIdx.x], 1);
  } else {
    x[threadIdx.x] = __ballot_sync(0xffffffffu, x[threadIdx.x]);  // HERE
  }
}

int main() {
  DeviceArray<int> x(std::vector<int>(32, 1));
  kernel<<<1, 32>>>(x.data);
  return pass();
}
