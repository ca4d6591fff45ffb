// SPDX-License-Identifier: Apache-2.0
// Dynamic shared memory used beyond what the launch gave.
// expect: checked
// says: {HERE}
// says: __shared__
#include "../idioms/check.h"

__global__ void kernel(float* x) {
  extern __shared__ float values[];
  values[threadIdx.x] = x[threadIdx.x];  // HERE
  __syncthreads();
  x[threadIdx.x] = values[0];
}

int main() {
  DeviceArray<float> x(64);
  kernel<<<1, 64, 63 * sizeof(float)>>>(x.data);
  return pass();
}
