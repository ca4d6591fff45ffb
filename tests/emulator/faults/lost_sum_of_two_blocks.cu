// SPDX-License-Identifier: Apache-2.0
// Two blocks, each one thread, add to one sum.
// expect: checked
// says: {HERE}: lost update
#include "../idioms/check.h"

__global__ void kernel(float* sum) {
  if (threadIdx.x == 0) {
    *sum += 1.0f + static_cast<float>(blockIdx.x);  // HERE
  }
}

int main() {
  DeviceArray<float> sum(std::vector<float>(1));
  kernel<<<2, 32>>>(sum.data);
  sum.get();
  return pass();
}
