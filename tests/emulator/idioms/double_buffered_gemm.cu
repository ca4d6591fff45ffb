// SPDX-License-Identifier: Apache-2.0
// A register-tiled GEMM that loads the next slice into registers while it multiplies the present one.
#include "check.h"

constexpr int kM = 32, kN = 32, kK = 8, kThreadTile = 4;

__global__ void __launch_bounds__(64) gemm(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ float as[2][kK][kM], bs[2][kK][kN];
  const int thread = threadIdx.x, row0 = (thread / 8) * kThreadTile, column0 = (thread % 8) * kThreadTile;
  float next_a[4], next_b[4], sums[kThreadTile][kThreadTile] = {};
  auto fetch = [&](int start) {
    for (int i = 0; i < 4; ++i) {
      const int at = thread + i * 64;
      const int row = blockIdx.y * kM + at / kK, inner = start + at % kK;
      next_a[i] = row < m && inner < k ? a[row * k + inner] : 0.0f;
      const int column = blockIdx.x * kN + at % kN, inner_b = start + at / kN;
      next_b[i] = column < n && inner_b < k ? b[inner_b * n + column] : 0.0f;
    }
  };
  auto put = [&](int stage) {
    for (int i = 0; i < 4; ++i) {
      const int at = thread + i * 64;
      as[stage][at % kK][at / kK] = next_a[i];
      bs[stage][at / kN][at % kN] = next_b[i];
    }
  };
  fetch(0);
  put(0);
  __syncthreads();
  int stage = 0;
  for (int start = 0; start < k; start += kK, stage ^= 1) {
    const bool more = start + kK < k;
    if (more) fetch(start + kK);
#pragma unroll
    for (int inner = 0; inner < kK; ++inner)
#pragma unroll
      for (int i = 0; i < kThreadTile; ++i)
#pragma unroll
        for (int j = 0; j < kThreadTile; ++j)
          sums[i][j] = fmaf(as[stage][inner][row0 + i], bs[stage][inner][column0 + j], sums[i][j]);
    if (more) put(stage ^ 1);
    __syncthreads();
  }
  for (int i = 0; i < kThreadTile; ++i)
    for (int j = 0; j < kThreadTile; ++j) {
      const int row = blockIdx.y * kM + row0 + i, column = blockIdx.x * kN + column0 + j;
      if (row < m && column < n) c[row * n + column] = sums[i][j];
    }
}

int main() {
  const int m = 45, n = 70, k = 53;
  const std::vector<float> a = ramp(m * k), b = ramp(k * n, 0.02f, -2.0f);
  DeviceArray<float> da(a), db(b), dc(m * n);
  gemm<<<dim3((n + kN - 1) / kN, (m + kM - 1) / kM), 64>>>(da.data, db.data, dc.data, m, n, k);
  std::vector<double> expected(m * n, 0.0);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j)
      for (int p = 0; p < k; ++p) expected[i * n + j] += double(a[i * k + p]) * b[p * n + j];
  expect_near(dc.get(), expected, 1e-5, "product");
  return pass();
}
