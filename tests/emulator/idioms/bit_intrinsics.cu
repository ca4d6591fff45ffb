// SPDX-License-Identifier: Apache-2.0
// Integer intrinsics that hand-written kernels use: reversal, counting, funnel shifts, byte permutes, saturation.
#include "check.h"

__global__ void bits(const unsigned int* in, unsigned int* out) {
  const unsigned int x = in[threadIdx.x], y = in[(threadIdx.x + 1) % blockDim.x];
  unsigned int* row = out + threadIdx.x * 10;
  row[0] = __brev(x);
  row[1] = __clz(static_cast<int>(x));
  row[2] = __ffs(static_cast<int>(x));
  row[3] = __popc(x);
  row[4] = __funnelshift_l(x, y, 7);
  row[5] = __byte_perm(x, y, 0x3715);
  row[6] = __umulhi(x, y);
  row[7] = static_cast<unsigned int>(__clzll(static_cast<long long>(x) << 20));
  row[8] = __sad(static_cast<int>(x & 0xffff), static_cast<int>(y & 0xffff), 5u);
  row[9] = __umul24(x & 0xffffff, y & 0xff);
}

unsigned int reversed(unsigned int x) {
  unsigned int result = 0;
  for (int i = 0; i < 32; ++i) result |= (x >> i & 1u) << (31 - i);
  return result;
}

int main() {
  const std::vector<unsigned int> in = {1u, 0x80000000u, 0x12345678u, 0xdeadbeefu, 0x00ff00ffu, 77u};
  DeviceArray<unsigned int> a(in), b(in.size() * 10);
  bits<<<1, int(in.size())>>>(a.data, b.data);
  std::vector<unsigned int> expected;
  for (size_t i = 0; i < in.size(); ++i) {
    const unsigned int x = in[i], y = in[(i + 1) % in.size()];
    const unsigned long long both = static_cast<unsigned long long>(y) << 32 | x;
    auto byte = [both](int place) { return static_cast<unsigned int>(both >> (8 * place) & 0xff); };
    expected.push_back(reversed(x));
    expected.push_back(__builtin_clz(x));
    expected.push_back(__builtin_ffs(static_cast<int>(x)));
    expected.push_back(__builtin_popcount(x));
    expected.push_back(static_cast<unsigned int>(both << 7 >> 32));
    expected.push_back(byte(5) | byte(1) << 8 | byte(7) << 16 | byte(3) << 24);
    expected.push_back(static_cast<unsigned int>(static_cast<unsigned long long>(x) * y >> 32));
    expected.push_back(__builtin_clzll(static_cast<unsigned long long>(x) << 20));
    const int u = static_cast<int>(x & 0xffff), v = static_cast<int>(y & 0xffff);
    expected.push_back(static_cast<unsigned int>(std::abs(u - v)) + 5u);
    expected.push_back((x & 0xffffff) * (y & 0xff));
  }
  expect_equal(b.get(), expected, "bits");
  return pass();
}
