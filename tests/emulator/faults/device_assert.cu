// SPDX-License-Identifier: Apache-2.0
// A device assertion that does not hold.
// expect: fault
// says: {HERE}: assertion failed: x[threadIdx.x] < 5
// says: thread (5,0,0)
#include <cassert>

#include "../idioms/check.h"

__global__ void kernel(const int* x) {
  assert(x[threadIdx.x] < 5);  // HERE
}

int main() {
  DeviceArray<int> x(std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7});
  kernel<<<1, 8>>>(x.data);
  return pass();
}
