// SPDX-License-Identifier: Apache-2.0
// __trap ends the kernel; the error stays.
// expect: fault
// says: {HERE}: __trap() was called
#include "../idioms/check.h"

__global__ void kernel(int* x) {
  if (x[threadIdx.x] == 3) __trap();  // HERE
}

int main() {
  DeviceArray<int> x(std::vector<int>{1, 2, 3});
  kernel<<<1, 3>>>(x.data);
  if (cudaGetLastError() == cudaSuccess || cudaDeviceSynchronize() == cudaSuccess) return pass();
  return 1;
}
