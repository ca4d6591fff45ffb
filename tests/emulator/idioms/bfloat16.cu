// SPDX-License-Identifier: Apache-2.0
// bf16 storage with float arithmetic, bf16 pairs, packing into 32-bit words.
#include <cuda_bf16.h>

#include "check.h"

__global__ void gelu(const __nv_bfloat16* in, __nv_bfloat16* out, int count) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
    const float x = __bfloat162float(in[i]);
    out[i] = __float2bfloat16(0.5f * x * (1.0f + erff(x * 0.70710678f)));
  }
}

__global__ void pairs(const __nv_bfloat162* in, unsigned int* packed, __nv_bfloat162* sums) {
  const __nv_bfloat162 v = in[threadIdx.x];
  packed[threadIdx.x] = *reinterpret_cast<const unsigned int*>(&v);
  sums[threadIdx.x] = __hadd2(v, __hmul2(v, v));
}

int main() {
  const int count = 500;
  std::vector<__nv_bfloat16> in(count);
  std::vector<double> expected(count);
  for (int i = 0; i < count; ++i) {
    in[i] = __float2bfloat16(-3.0f + 0.0125f * i);
    const double x = __bfloat162float(in[i]);
    expected[i] = 0.5 * x * (1 + std::erf(x / std::sqrt(2.0)));
  }
  DeviceArray<__nv_bfloat16> a(in), b(count);
  gelu<<<3, 64>>>(a.data, b.data, count);
  std::vector<float> got;
  for (const __nv_bfloat16 x : b.get()) got.push_back(__bfloat162float(x));
  expect_near(got, expected, 8e-3, "gelu");

  DeviceArray<unsigned int> packed(16);
  DeviceArray<__nv_bfloat162> sums(16);
  pairs<<<1, 16>>>(reinterpret_cast<__nv_bfloat162*>(a.data), packed.data, sums.data);
  std::vector<float> low;
  std::vector<double> low_expected;
  const auto words = packed.get();
  const auto totals = sums.get();
  for (int i = 0; i < 16; ++i) {
    const double x = __bfloat162float(in[2 * i]);
    const unsigned int bits = words[i] << 16;
    float unpacked;
    memcpy(&unpacked, &bits, 4);
    low.push_back(unpacked);
    low_expected.push_back(x);
    low.push_back(__low2float(totals[i]));
    low_expected.push_back(x + x * x);
  }
  expect_near(low, low_expected, 1e-2, "pairs");
  return pass();
}
