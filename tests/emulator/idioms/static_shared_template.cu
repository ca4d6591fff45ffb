// SPDX-License-Identifier: Apache-2.0
// Static shared memory in templates: each instance has its own; several names in one declaration; alignment.
#include "check.h"

template <typename T, int kTile, int kRows>
__global__ void transpose(const T* in, T* out, int width, int height) {
  __shared__ T tile[kTile][kTile + 1];
  const int x = blockIdx.x * kTile + threadIdx.x;
  for (int j = 0; j < kTile; j += kRows) {
    const int y = blockIdx.y * kTile + threadIdx.y + j;
    if (x < width && y < height) tile[threadIdx.y + j][threadIdx.x] = in[y * width + x];
  }
  __syncthreads();
  const int column = blockIdx.y * kTile + threadIdx.x;
  for (int j = 0; j < kTile; j += kRows) {
    const int row = blockIdx.x * kTile + threadIdx.y + j;
    if (column < height && row < width) out[row * height + column] = tile[threadIdx.x][threadIdx.y + j];
  }
}

template <int N>
__global__ void several(float* data) {
  __shared__ float a[N], b[N + 1];
  __shared__ alignas(16) float4 quads[N / 4];
  __shared__ __align__(8) char bytes[N];
  constexpr int kHalf = N / 2;
  __shared__ volatile int half_sum[kHalf];
  const int i = threadIdx.x;
  a[i] = data[i];
  b[i] = 2 * a[i];
  bytes[i] = static_cast<char>(i);
  if (i < N / 4) quads[i] = make_float4(i, i + 1, i + 2, i + 3);
  if (i < kHalf) half_sum[i] = 2 * i;
  __syncthreads();
  const float* flat = &quads[0].x;
  data[i] = a[N - 1 - i] + b[i] + flat[i] + bytes[N - 1 - i] + half_sum[i % kHalf];
}

int main() {
  const int width = 70, height = 45;
  const std::vector<float> in = ramp(width * height);
  DeviceArray<float> a(in), b(width * height);
  const dim3 grid((width + 31) / 32, (height + 31) / 32);
  transpose<float, 32, 8><<<grid, dim3(32, 8)>>>(a.data, b.data, width, height);
  std::vector<float> expected(in.size());
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) expected[x * height + y] = in[y * width + x];
  expect_equal(b.get(), expected, "transpose");

  DeviceArray<int> c(std::vector<int>{1, 2, 3, 4, 5, 6}), d(6);
  transpose<int, 16, 16><<<1, dim3(16, 16)>>>(c.data, d.data, 3, 2);
  expect_equal(d.get(), std::vector<int>{1, 4, 2, 5, 3, 6}, "int transpose");

  DeviceArray<float> e(ramp(64));
  several<64><<<1, 64>>>(e.data);
  std::vector<double> sums(64);
  for (int i = 0; i < 64; ++i)
    sums[i] = double(in[63 - i]) + 2 * double(in[i]) + (i / 4 + i % 4) + (63 - i) + 2 * (i % 32);
  expect_near(e.get(), sums, 1e-6, "several");
  return pass();
}
