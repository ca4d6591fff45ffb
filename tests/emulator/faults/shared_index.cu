// SPDX-License-Identifier: Apache-2.0
// An index past the inner extent of a two-dimensional shared array.
// expect: checked
// says: {HERE}
// says: out of bounds
#include "../idioms/check.h"

__global__ void kernel(float* x, int column) {
  __shared__ float tile[8][8];
  tile[threadIdx.x][column] = 1.0f;  // HERE
  __syncthreads();
  x[threadIdx.x] = tile[threadIdx.x][0];
}

int main() {
  DeviceArray<float> x(8);
  kernel<<<1, 8>>>(x.data, 8);
  return pass();
}
