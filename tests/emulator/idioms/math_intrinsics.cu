// SPDX-License-Identifier: Apache-2.0
// Integer and floating-point intrinsics, bit casts, min and max, rounding conversions.
#include "check.h"

__global__ void integers(unsigned int x, long long wide, int* out) {
  int i = 0;
  out[i++] = __popc(x);
  out[i++] = __clz(static_cast<int>(x));
  out[i++] = __ffs(static_cast<int>(x));
  out[i++] = static_cast<int>(__brev(x) >> 8);
  out[i++] = static_cast<int>(__byte_perm(x, 0x44332211u, 0x3715));
  out[i++] = __mulhi(1 << 30, 1 << 10);
  out[i++] = static_cast<int>(__umulhi(0x80000000u, 6u));
  out[i++] = __popcll(static_cast<unsigned long long>(wide));
  out[i++] = __clzll(wide);
  out[i++] = static_cast<int>(__funnelshift_l(0x80000001u, 0x7u, 4));
  out[i++] = __dp4a(0x01020304, 0x05060708, 10);
  out[i++] = min(3, -4) + max(7, 2);
  out[i++] = static_cast<int>(max(5u, 9u));
  out[i++] = __float2int_rn(2.5f) * 100 + __float2int_rz(-2.7f);
  out[i++] = __float2int_rd(-2.1f) * 100 + __float2int_ru(2.1f);
  out[i++] = __float_as_int(1.0f);
  out[i++] = abs(-17) + __sad(3, 9, 2u);
}

__global__ void floats(float x, float* out) {
  int i = 0;
  out[i++] = __expf(x);
  out[i++] = __logf(x);
  out[i++] = __fdividef(x, 3.0f);
  out[i++] = rsqrtf(x);
  out[i++] = __frsqrt_rn(x);
  out[i++] = __powf(x, 1.5f);
  out[i++] = __sinf(x) + __cosf(x);
  out[i++] = fmaf(x, x, 1.0f) + __fmaf_rn(x, 2.0f, 1.0f);
  out[i++] = fmaxf(x, 1.0f) + fminf(x, 1.0f) + max(x, 2.0f) + min(x, 2.0f);
  out[i++] = __saturatef(x) + __saturatef(-x);
  out[i++] = tanhf(x) + erff(x) + expm1f(x) + log1pf(x);
  out[i++] = __int_as_float(__float_as_int(x) ^ 0x80000000);
  out[i++] = exp2f(x) + __log2f(x) + exp10f(x);
  out[i++] = __frcp_rn(x) + __fsqrt_rn(x) + __fadd_rn(x, 1.0f) + __fmul_rn(x, 3.0f);
  out[i++] = sinpif(0.5f) + cospif(1.0f) + normcdff(0.0f) + rcbrtf(8.0f);
  float sine, cosine;
  sincosf(x, &sine, &cosine);
  out[i++] = sine * cosine;
  out[i++] = isnan(x / 0.0f - x / 0.0f) + 2 * isinf(x / 0.0f) + copysignf(4.0f, -x);
  out[i++] = erfinvf(1e-20f) * 1e20f;
}

int main() {
  DeviceArray<int> a(17);
  integers<<<1, 1>>>(0x00f0a001u, 0x0000ffff00000001ll, a.data);
  expect_equal(
      a.get(),
      std::vector<int>{7, 8, 1, 0x80050f, 0x0044a022, 256, 3, 17, 16, 120, 80, 3, 9, 198, -297, 0x3f800000, 25},
      "integers");
  const double x = 1.25;
  DeviceArray<float> b(18);
  floats<<<1, 1>>>(1.25f, b.data);
  expect_near(
      b.get(),
      {std::exp(x), std::log(x), x / 3, 1 / std::sqrt(x), 1 / std::sqrt(x), std::pow(x, 1.5), std::sin(x) + std::cos(x),
       x * x + 1 + 2 * x + 1, x + 1 + 2 + x, 1.0, std::tanh(x) + std::erf(x) + std::expm1(x) + std::log1p(x), -x,
       std::exp2(x) + std::log2(x) + std::pow(10, x), 1 / x + std::sqrt(x) + x + 1 + 3 * x, 1.0 - 1.0 + 0.5 + 0.5,
       std::sin(x) * std::cos(x), 1.0 + 2.0 - 4.0, std::sqrt(std::acos(-1.0)) / 2},
      2e-6, "floats");
  return pass();
}
