// SPDX-License-Identifier: Apache-2.0
// A count is atomic, the sum beside it is not.
// expect: checked
// says: {HERE}: lost update
#include "../idioms/check.h"

__global__ void kernel(const float* in, int* count, float* sum) {
  atomicAdd(count, 1);
  *sum += in[threadIdx.x];  // HERE
}

int main() {
  DeviceArray<float> in(ramp(32)), sum(std::vector<float>(1));
  DeviceArray<int> count(std::vector<int>(1));
  kernel<<<1, 32>>>(in.data, count.data, sum.data);
  sum.get();
  return pass();
}
