// SPDX-License-Identifier: Apache-2.0
// Kernels reached through pointers: variables, arrays, a conditional expression, a table in a struct.
#include "check.h"

__global__ void increment(int* x) { x[threadIdx.x] += 1; }
__global__ void decrement(int* x) { x[threadIdx.x] -= 1; }
template <int kBy>
__global__ void multiply(int* x) {
  x[threadIdx.x] *= kBy;
}

using Kernel = void (*)(int*);
struct Table {
  Kernel entries[2];
  Kernel best;
};
Kernel choose(bool up) { return up ? increment : decrement; }

int main() {
  DeviceArray<int> x(std::vector<int>(16, 10));
  Kernel kernel = increment;
  kernel<<<1, 16>>>(x.data);  // 11
  Kernel kernels[] = {decrement, multiply<3>};
  for (Kernel each : kernels) each<<<1, 16>>>(x.data);  // 10, 30
  kernels[0]<<<1, 16>>>(x.data);                        // 29
  const bool up = x.count == 16;
  (up ? increment : decrement)<<<1, 16>>>(x.data);  // 30
  Table table = {{multiply<2>, increment}, decrement};
  table.entries[0]<<<1, 16>>>(x.data);  // 60
  Table* pointer = &table;
  pointer->best<<<1, 16>>>(x.data);  // 59
  choose(true)<<<1, 16>>>(x.data);   // 60
  expect_equal(x.get(), std::vector<int>(16, 60), "x");
  return pass();
}
