// SPDX-License-Identifier: Apache-2.0
// A write past the end of a shared array whose length the compiler does not see.
// expect: checked
// says: {HERE}
// says: __shared__
#include "../idioms/check.h"

__device__ void put(float* values, int at) {
  values[at] = 1.0f;  // HERE
}
__global__ void kernel(float* x, int n) {
  __shared__ float first[32];
  __shared__ float second[32];
  second[threadIdx.x] = 2.0f;
  put(first, threadIdx.x + n);
  __syncthreads();
  x[threadIdx.x] = first[threadIdx.x] + second[threadIdx.x];
}

int main() {
  DeviceArray<float> x(32);
  kernel<<<1, 32>>>(x.data, 1);
  return pass();
}
