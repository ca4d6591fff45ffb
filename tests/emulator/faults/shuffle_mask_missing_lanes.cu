// SPDX-License-Identifier: Apache-2.0
// A full mask where only some lanes take the branch: the others never come.
// expect: fault
// says: {HERE}
// says: __shfl_down_sync
// says: no thread can go on
#include "../idioms/check.h"

__global__ void kernel(int* x) {
  if (threadIdx.x < 8) {
    x[threadIdx.x] = __shfl_down_sync(0xffffffffu, x[threadIdx.x], 1);  // HERE
  }
  __syncthreads();
}

int main() {
  DeviceArray<int> x(std::vector<int>(32, 1));
  kernel<<<1, 32>>>(x.data);
  return pass();
}
