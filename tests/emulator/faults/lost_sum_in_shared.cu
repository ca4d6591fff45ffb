// SPDX-License-Identifier: Apache-2.0
// The threads of a block add to a sum in shared memory.
// expect: checked
// says: {HERE}: lost update
#include "../idioms/check.h"

__global__ void kernel(const float* in, float* out) {
  __shared__ float sum;
  if (threadIdx.x == 0) {
    sum = 0.0f;
  }
  __syncthreads();
  sum += in[threadIdx.x];  // HERE
  __syncthreads();
  out[threadIdx.x] = sum;
}

int main() {
  DeviceArray<float> in(ramp(64)), out(64);
  kernel<<<1, 64>>>(in.data, out.data);
  out.get();
  return pass();
}
