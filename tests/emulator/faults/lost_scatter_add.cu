// SPDX-License-Identifier: Apache-2.0
// Rows that share a target are added to it without an atomic.
// expect: checked
// says: {HERE}: lost update
#include "../idioms/check.h"

__global__ void kernel(const float* in, float* out, int columns) {
  const int target = blockIdx.x / 2;
  for (int column = threadIdx.x; column < columns; column += blockDim.x) {
    out[target * columns + column] += 1.0f + in[blockIdx.x * columns + column];  // HERE
  }
}

int main() {
  DeviceArray<float> in(ramp(6 * 40)), out(std::vector<float>(3 * 40));
  kernel<<<6, 32>>>(in.data, out.data, 40);
  out.get();
  return pass();
}
