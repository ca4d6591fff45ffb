// SPDX-License-Identifier: Apache-2.0
// Reading past a __constant__ array.
// expect: checked
// says: {HERE}
// says: insufficient space
#include "../idioms/check.h"

__constant__ float weights[10];

__device__ float read(const float* values, int at) {
  return values[at];  // HERE
}
__global__ void kernel(float* x, int n) { x[threadIdx.x] = read(weights, threadIdx.x + n); }

int main() {
  DeviceArray<float> x(10);
  kernel<<<1, 10>>>(x.data, 1);
  return pass();
}
