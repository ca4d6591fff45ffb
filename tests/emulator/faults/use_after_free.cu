// SPDX-License-Identifier: Apache-2.0
// A kernel reads memory that was freed.
// expect: checked
// says: {HERE}
// says: freed
#include "../idioms/check.h"

__global__ void kernel(const float* in, float* out) {
  out[threadIdx.x] = in[threadIdx.x];  // HERE
}

int main() {
  DeviceArray<float> out(8);
  float* in = nullptr;
  CHECK(cudaMalloc(&in, 32));
  CHECK(cudaFree(in));
  kernel<<<1, 8>>>(in, out.data);
  return pass();
}
