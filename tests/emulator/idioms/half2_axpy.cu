// SPDX-License-Identifier: Apache-2.0
// fp16 pairs: arithmetic, fused multiply-add, exponentials, comparisons, conversion.
#include <cuda_fp16.h>

#include "check.h"

__global__ void axpy(int pairs, __half2 a, const __half2* x, __half2* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < pairs) y[i] = __hfma2(a, x[i], y[i]);
}

__global__ void functions(const __half* x, float* out, int count) {
  const int i = threadIdx.x;
  if (i >= count) return;
  const __half v = x[i];
  const __half2 both = __halves2half2(v, __hadd(v, __float2half(1.0f)));
  const __half2 powers = h2exp(both);
  out[4 * i + 0] = __low2float(powers);
  out[4 * i + 1] = __half2float(hsqrt(__habs(v)));
  out[4 * i + 2] = __half2float(__hmax(v, __float2half(0.25f)));
  out[4 * i + 3] = __hgt(v, __float2half(0.0f)) ? 1.0f : 0.0f;
}

int main() {
  const int pairs = 100;
  std::vector<__half2> x(pairs), y(pairs);
  for (int i = 0; i < pairs; ++i) {
    x[i] = __floats2half2_rn(i * 0.125f, -i * 0.25f);
    y[i] = __floats2half2_rn(1.0f, float(i));
  }
  DeviceArray<__half2> dx(x), dy(y);
  axpy<<<4, 32>>>(pairs, __float2half2_rn(2.0f), dx.data, dy.data);
  const std::vector<__half2> got = dy.get();
  std::vector<float> flat;
  std::vector<double> expected;
  for (int i = 0; i < pairs; ++i) {
    flat.push_back(__low2float(got[i]));
    flat.push_back(__high2float(got[i]));
    expected.push_back(1.0 + 2 * i * 0.125);
    expected.push_back(i - 2 * i * 0.25);
  }
  expect_near(flat, expected, 1e-6, "axpy");

  std::vector<__half> v(20);
  for (int i = 0; i < 20; ++i) v[i] = __float2half(-1.0f + i * 0.125f);
  DeviceArray<__half> dv(v);
  DeviceArray<float> out(80);
  functions<<<1, 32>>>(dv.data, out.data, 20);
  std::vector<double> values;
  for (int i = 0; i < 20; ++i) {
    const double t = -1.0 + i * 0.125;
    values.insert(values.end(), {std::exp(t), std::sqrt(std::fabs(t)), std::fmax(t, 0.25), t > 0 ? 1.0 : 0.0});
  }
  expect_near(out.get(), values, 2e-3, "functions");
  return pass();
}
