// SPDX-License-Identifier: Apache-2.0
// More than 48 KB of static shared memory in all.
// expect: fault
// says: {HERE}
// says: exceeds the limit of 49152 bytes
#include "../idioms/check.h"

template <int kBytes>
__global__ void kernel(char* x) {
  __shared__ char first[kBytes];
  first[threadIdx.x] = 1;
  __shared__ char second[kBytes];  // HERE
  second[threadIdx.x] = first[threadIdx.x];
  x[threadIdx.x] = second[threadIdx.x];
}

int main() {
  DeviceArray<char> x(32);
  kernel<30000><<<1, 32>>>(x.data);
  return pass();
}
