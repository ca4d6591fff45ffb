// SPDX-License-Identifier: Apache-2.0
// A float4 read from an address that is not a multiple of 16.
// expect: checked
// says: {HERE}
// says: misaligned
#include "../idioms/check.h"

__global__ void kernel(const float* in, float4* out) {
  out[threadIdx.x] = *reinterpret_cast<const float4*>(in + threadIdx.x);  // HERE
}

int main() {
  DeviceArray<float> in(64);
  DeviceArray<float4> out(8);
  kernel<<<1, 8>>>(in.data, out.data);
  return pass();
}
