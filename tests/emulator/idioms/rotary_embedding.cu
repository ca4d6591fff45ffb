// SPDX-License-Identifier: Apache-2.0
// Rotary position embedding on half pairs: sincosf, half2 arithmetic through floats, a three-dimensional grid.
#include <cuda_fp16.h>

#include "check.h"

__global__ void rotate(const __half2* in, __half2* out, int heads, int pairs) {
  const int position = blockIdx.x, head = blockIdx.y, batch = blockIdx.z, pair = threadIdx.x;
  if (pair >= pairs) return;
  const size_t at = ((static_cast<size_t>(batch) * gridDim.x + position) * heads + head) * pairs + pair;
  float sine, cosine;
  sincosf(position * __powf(10000.0f, -static_cast<float>(pair) / pairs), &sine, &cosine);
  const float2 v = __half22float2(in[at]);
  out[at] = __floats2half2_rn(v.x * cosine - v.y * sine, v.x * sine + v.y * cosine);
}

int main() {
  const int batch = 2, positions = 7, heads = 3, pairs = 20, count = batch * positions * heads * pairs;
  std::vector<__half2> in(count);
  for (int i = 0; i < count; ++i) in[i] = __floats2half2_rn(0.01f * float(i % 97), 0.5f - 0.02f * float(i % 53));
  DeviceArray<__half2> a(in), b(count);
  rotate<<<dim3(positions, heads, batch), 32>>>(a.data, b.data, heads, pairs);
  std::vector<float> got;
  std::vector<double> expected;
  const std::vector<__half2> turned = b.get();
  for (int i = 0; i < count; ++i) {
    const int position = i / (heads * pairs) % positions;
    const double angle = position * std::pow(10000.0, -double(i % pairs) / pairs);
    const float2 v = __half22float2(in[i]), g = __half22float2(turned[i]);
    got.push_back(g.x), got.push_back(g.y);
    expected.push_back(v.x * std::cos(angle) - v.y * std::sin(angle));
    expected.push_back(v.x * std::sin(angle) + v.y * std::cos(angle));
  }
  expect_near(got, expected, 2e-3, "rotated");
  return pass();
}
