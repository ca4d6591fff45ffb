// SPDX-License-Identifier: Apache-2.0
// All threads of all blocks add to one sum without an atomic.
// expect: checked
// says: {HERE}: lost update
#include "../idioms/check.h"

__global__ void kernel(const float* in, float* sum) {
  sum[0] += in[blockIdx.x * blockDim.x + threadIdx.x];  // HERE
}

int main() {
  DeviceArray<float> in(ramp(256)), sum(std::vector<float>(1));
  kernel<<<4, 64>>>(in.data, sum.data);
  sum.get();
  return pass();
}
