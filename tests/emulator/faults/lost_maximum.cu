// SPDX-License-Identifier: Apache-2.0
// Each thread compares with the largest value so far and replaces it.
// expect: checked
// says: {HERE}: lost update
#include "../idioms/check.h"

__global__ void kernel(const float* in, float* largest) {
  const float value = in[blockIdx.x * blockDim.x + threadIdx.x];
  if (value > *largest) {  // HERE
    *largest = value;
  }
}

int main() {
  DeviceArray<float> in(ramp(256)), largest(std::vector<float>(1));
  kernel<<<8, 32>>>(in.data, largest.data);
  largest.get();
  return pass();
}
