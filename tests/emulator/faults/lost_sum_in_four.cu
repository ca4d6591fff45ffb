// SPDX-License-Identifier: Apache-2.0
// A vector of four sums is changed whole by all threads.
// expect: checked
// says: {HERE}: lost update
#include "../idioms/check.h"

__global__ void kernel(float4* sums) {
  float4 held = *sums;  // HERE
  held.x += 1.0f;
  held.w += static_cast<float>(threadIdx.x);
  *sums = held;
}

int main() {
  DeviceArray<float> sums(std::vector<float>(4));
  kernel<<<1, 32>>>(reinterpret_cast<float4*>(sums.data));
  sums.get();
  return pass();
}
