// SPDX-License-Identifier: Apache-2.0
// A GEMM tiled through shared memory with a register tile per thread and guards at the edges.
#include "check.h"

template <int kTileM, int kTileN, int kTileK, int kPerThread>
__global__ void gemm(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int m, int n,
                     int k) {
  constexpr int kThreadsN = kTileN / kPerThread;
  __shared__ float a_tile[kTileK][kTileM];
  __shared__ float b_tile[kTileK][kTileN];
  const int row0 = blockIdx.y * kTileM, column0 = blockIdx.x * kTileN;
  const int ty = threadIdx.x / kThreadsN, tx = threadIdx.x % kThreadsN;
  float sums[kPerThread][kPerThread] = {};
  for (int k0 = 0; k0 < k; k0 += kTileK) {
    for (int e = threadIdx.x; e < kTileM * kTileK; e += blockDim.x) {
      const int row = e / kTileK, i = e % kTileK;
      a_tile[i][row] = row0 + row < m && k0 + i < k ? a[(row0 + row) * k + k0 + i] : 0.0f;
    }
    for (int e = threadIdx.x; e < kTileK * kTileN; e += blockDim.x) {
      const int i = e / kTileN, column = e % kTileN;
      b_tile[i][column] = k0 + i < k && column0 + column < n ? b[(k0 + i) * n + column0 + column] : 0.0f;
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < kTileK; ++i)
      for (int r = 0; r < kPerThread; ++r)
        for (int col = 0; col < kPerThread; ++col)
          sums[r][col] += a_tile[i][ty * kPerThread + r] * b_tile[i][tx * kPerThread + col];
    __syncthreads();
  }
  for (int r = 0; r < kPerThread; ++r)
    for (int col = 0; col < kPerThread; ++col) {
      const int row = row0 + ty * kPerThread + r, column = column0 + tx * kPerThread + col;
      if (row < m && column < n) c[row * n + column] = sums[r][col];
    }
}

int main() {
  const int m = 70, n = 50, k = 37;
  const std::vector<float> a = ramp(m * k), b = ramp(k * n, 0.02f, 0.5f);
  std::vector<double> expected(m * n, 0.0);
  for (int r = 0; r < m; ++r)
    for (int i = 0; i < k; ++i)
      for (int col = 0; col < n; ++col) expected[r * n + col] += double(a[r * k + i]) * b[i * n + col];
  DeviceArray<float> da(a), db(b), dc(m * n);
  gemm<32, 32, 8, 4><<<dim3((n + 31) / 32, (m + 31) / 32), 64>>>(da.data, db.data, dc.data, m, n, k);
  expect_near(dc.get(), expected, 1e-5, "32x32x8");
  gemm<16, 64, 16, 2><<<dim3((n + 63) / 64, (m + 15) / 16), 256>>>(da.data, db.data, dc.data, m, n, k);
  expect_near(dc.get(), expected, 1e-5, "16x64x16");
  return pass();
}
