// SPDX-License-Identifier: Apache-2.0
// A thread that needs more stack than it has.
// expect: fault
// says: stack
#include "../idioms/check.h"

__device__ __noinline__ int recurse(int depth, volatile int* x) {
  volatile int local[256];
  local[depth % 256] = depth;
  return depth == 0 ? *x : recurse(depth - 1, x) + local[depth % 256];
}
__global__ void kernel(int* x) { *x = recurse(1000, x); }

int main() {
  DeviceArray<int> x(std::vector<int>{1});
  kernel<<<1, 1>>>(x.data);
  return pass();
}
