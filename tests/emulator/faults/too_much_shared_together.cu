// SPDX-License-Identifier: Apache-2.0
// Static and dynamic shared memory together exceed what a kernel may have without opting in.
// expect: fault
// says: {HERE}
// says: 33024 dynamic
#include "../idioms/check.h"

__global__ void kernel(float* x) {
  extern __shared__ float dynamic[];
  __shared__ float fixed[8192];  // HERE
  fixed[threadIdx.x] = 1;
  dynamic[threadIdx.x] = fixed[threadIdx.x];
  x[threadIdx.x] = dynamic[threadIdx.x];
}

int main() {
  DeviceArray<float> x(32);
  kernel<<<1, 32, 33024>>>(x.data);
  return pass();
}
