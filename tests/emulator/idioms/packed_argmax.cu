// SPDX-License-Identifier: Apache-2.0
// The place of the largest value by a 64-bit atomicMax on (ordered bits, place); and an atomicCAS maximum of floats.
#include "check.h"

__device__ unsigned int ordered(float value) {
  const unsigned int bits = __float_as_uint(value);
  return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

__device__ float atomic_max(float* address, float value) {
  int* bits = reinterpret_cast<int*>(address);
  int seen = *bits, assumed;
  do {
    assumed = seen;
    if (__int_as_float(assumed) >= value) break;
    seen = atomicCAS(bits, assumed, __float_as_int(value));
  } while (assumed != seen);
  return __int_as_float(seen);
}

__global__ void find(const float* in, int count, unsigned long long* best, float* largest) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
    // Of equal values the first: its complement is the largest.
    atomicMax(best, (static_cast<unsigned long long>(ordered(in[i])) << 32) | (0xffffffffu - i));
    atomic_max(largest, in[i]);
  }
}

int main() {
  std::vector<float> in = ramp(1500, -0.01f, -0.25f);
  in[777] = 3.5f, in[1200] = 3.5f;
  DeviceArray<float> a(in), largest(std::vector<float>{-1e30f});
  DeviceArray<unsigned long long> best(std::vector<unsigned long long>{0});
  find<<<3, 100>>>(a.data, int(in.size()), best.data, largest.data);
  expect_equal(std::vector<unsigned int>{0xffffffffu - static_cast<unsigned int>(best.get()[0])},
               std::vector<unsigned int>{777}, "place");
  expect_equal(largest.get(), std::vector<float>{3.5f}, "largest");
  return pass();
}
