// SPDX-License-Identifier: Apache-2.0
// Bytes are counted up by several warps.
// expect: checked
// says: {HERE}: lost update
#include "../idioms/check.h"

__global__ void kernel(unsigned char* counters) {
  counters[threadIdx.x % 16] += 1;  // HERE
}

int main() {
  DeviceArray<unsigned char> counters(std::vector<unsigned char>(16));
  kernel<<<1, 64>>>(counters.data);
  counters.get();
  return pass();
}
