// SPDX-License-Identifier: Apache-2.0
// A lane calls a shuffle with a mask that does not name it.
// expect: fault
// says: {HERE}
// says: does not name the lane itself
#include "../idioms/check.h"

__global__ void kernel(int* x) {
  x[threadIdx.x] = __shfl_sync(0x0000ffffu, x[threadIdx.x], 0);  // HERE
}

int main() {
  DeviceArray<int> x(std::vector<int>(32, 1));
  kernel<<<1, 32>>>(x.data);
  return pass();
}
