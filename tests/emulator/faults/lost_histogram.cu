// SPDX-License-Identifier: Apache-2.0
// A histogram in shared memory whose counters are incremented.
// expect: checked
// says: {HERE}: lost update
#include "../idioms/check.h"

__global__ void kernel(const float* in, int* out) {
  __shared__ int counters[8];
  if (threadIdx.x < 8) {
    counters[threadIdx.x] = 0;
  }
  __syncthreads();
  ++counters[static_cast<int>(in[threadIdx.x]) % 8];  // HERE
  __syncthreads();
  if (threadIdx.x < 8) {
    out[threadIdx.x] = counters[threadIdx.x];
  }
}

int main() {
  DeviceArray<float> in(ramp(128));
  DeviceArray<int> out(8);
  kernel<<<1, 128>>>(in.data, out.data);
  out.get();
  return pass();
}
