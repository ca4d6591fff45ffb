// SPDX-License-Identifier: Apache-2.0
// Two warps change one sum; only the lanes of each are ordered.
// expect: checked
// says: {HERE}: lost update
#include "../idioms/check.h"

__global__ void kernel(float* out) {
  __shared__ float sum;
  if (threadIdx.x == 0) {
    sum = 0.0f;
  }
  __syncthreads();
  if (threadIdx.x % 32 == 0) {
    sum += 1.0f;  // HERE
  }
  __syncwarp();
  __syncthreads();
  if (threadIdx.x == 0) {
    *out = sum;
  }
}

int main() {
  DeviceArray<float> out(1);
  kernel<<<1, 64>>>(out.data);
  out.get();
  return pass();
}
