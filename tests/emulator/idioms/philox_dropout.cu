// SPDX-License-Identifier: Apache-2.0
// Counter-based random numbers (Philox 4x32, ten rounds) in a dropout; __umulhi, uint4, bit conversions.
#include "check.h"

__host__ __device__ inline unsigned int high(unsigned int a, unsigned int b) {
#ifdef __CUDA_ARCH__
  return __umulhi(a, b);
#else
  return static_cast<unsigned int>(static_cast<unsigned long long>(a) * b >> 32);
#endif
}

__host__ __device__ inline uint4 philox(uint4 counter, uint2 key) {
  for (int round = 0; round < 10; ++round) {
    const unsigned int a = high(0xD2511F53u, counter.x), b = 0xD2511F53u * counter.x;
    const unsigned int c = high(0xCD9E8D57u, counter.z), d = 0xCD9E8D57u * counter.z;
    counter = make_uint4(c ^ counter.y ^ key.x, d, a ^ counter.w ^ key.y, b);
    key.x += 0x9E3779B9u, key.y += 0xBB67AE85u;
  }
  return counter;
}

__global__ void dropout(const float* in, float* out, int count, float keep, unsigned long long seed) {
  const int quad = blockIdx.x * blockDim.x + threadIdx.x;
  const uint4 bits = philox(make_uint4(quad, 0, 0, 0), make_uint2(unsigned(seed), unsigned(seed >> 32)));
  const unsigned int words[4] = {bits.x, bits.y, bits.z, bits.w};
  for (int j = 0; j < 4; ++j) {
    const int i = quad * 4 + j;
    if (i < count) out[i] = (words[j] >> 8) * 0x1p-24f < keep ? in[i] * __frcp_rn(keep) : 0.0f;
  }
}

int main() {
  const uint4 known = philox(make_uint4(0, 0, 0, 0), make_uint2(0, 0));
  expect_equal(std::vector<unsigned int>{known.x, known.y, known.z, known.w},
               std::vector<unsigned int>{0x6627e8d5u, 0xe169c58du, 0xbc57ac4cu, 0x9b00dbd8u}, "the published answer");
  const int count = 20002;
  const std::vector<float> ones(count, 1.0f);
  DeviceArray<float> a(ones), b(count);
  dropout<<<(count / 4 + 128) / 128, 128>>>(a.data, b.data, count, 0.75f, 42);
  double sum = 0;
  for (float value : b.get()) sum += value;
  expect_near({static_cast<float>(sum / count)}, {1.0}, 0.01, "mean");
  return pass();
}
