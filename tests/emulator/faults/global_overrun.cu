// SPDX-License-Identifier: Apache-2.0
// The tail guard is off by one.
// expect: checked
// says: {HERE}
// says: outside its allocation
#include "../idioms/check.h"

__global__ void kernel(float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n) {
    x[i] = 1.0f;  // HERE
  }
}

int main() {
  DeviceArray<float> x(100);
  kernel<<<4, 32>>>(x.data, 100);
  return pass();
}
