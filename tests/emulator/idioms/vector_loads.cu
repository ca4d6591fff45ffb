// SPDX-License-Identifier: Apache-2.0
// Grid-stride loops over float4 with a scalar tail, int4 and float2 reinterpretation, cache-hinted loads.
#include "check.h"

__global__ void scale(const float* __restrict__ in, float* __restrict__ out, float factor, size_t n) {
  const size_t stride = static_cast<size_t>(gridDim.x) * blockDim.x;
  const size_t first = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const float4* in4 = reinterpret_cast<const float4*>(in);
  float4* out4 = reinterpret_cast<float4*>(out);
  for (size_t i = first; i < n / 4; i += stride) {
    float4 v = __ldg(in4 + i);
    v.x *= factor;
    v.y *= factor;
    v.z *= factor;
    v.w *= factor;
    __stcs(out4 + i, v);
  }
  for (size_t i = n / 4 * 4 + first; i < n; i += stride) out[i] = __ldcs(in + i) * factor;
}

__global__ void negate_bits(float* x) {
  int4* words = reinterpret_cast<int4*>(x) + threadIdx.x;
  int4 v = *words;
  v.x ^= 0x80000000;
  v.w ^= 0x80000000;
  *words = v;
  const float2 pair = reinterpret_cast<const float2*>(x)[2 * threadIdx.x];
  x[4 * threadIdx.x + 1] = pair.x + pair.y;
}

int main() {
  const size_t n = 1003;
  const std::vector<float> in = ramp(n);
  DeviceArray<float> a(in), b(n);
  scale<<<3, 64>>>(a.data, b.data, 1.5f, n);
  std::vector<float> expected(n);
  for (size_t i = 0; i < n; ++i) expected[i] = in[i] * 1.5f;
  expect_equal(b.get(), expected, "scaled");
  negate_bits<<<1, 250>>>(b.data);
  for (size_t i = 0; i < 1000; i += 4) {
    expected[i] = -expected[i];
    expected[i + 3] = -expected[i + 3];
    expected[i + 1] = expected[i] + expected[i + 1];
  }
  expect_equal(b.get(), expected, "bits");
  return pass();
}
