// SPDX-License-Identifier: Apache-2.0
// The first block waits for the last one, which runs only when the first has ended.
// expect: fault
// says: {HERE}
// says: must not wait for a later one
#include "../idioms/check.h"

__global__ void kernel(int* flag) {
  if (blockIdx.x == 0) {
    while (atomicAdd(flag, 0) == 0) {  // HERE
    }
  } else {
    atomicExch(flag, 1);
  }
}

int main() {
  DeviceArray<int> flag(std::vector<int>{0});
  kernel<<<2, 1>>>(flag.data);
  return pass();
}
