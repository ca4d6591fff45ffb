// SPDX-License-Identifier: Apache-2.0
// A negative index into a device array, in a thread that has waited before.
// expect: checked
// says: {HERE}
// says: outside its allocation
#include "../idioms/check.h"

__global__ void kernel(const float* in, float* out) {
  __shared__ float tile[32];
  tile[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x] + in[static_cast<int>(threadIdx.x) - 1];  // HERE
}

int main() {
  DeviceArray<float> in(32), out(32);
  kernel<<<1, 32>>>(in.data, out.data);
  return pass();
}
