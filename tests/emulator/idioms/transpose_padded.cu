// SPDX-License-Identifier: Apache-2.0
// A transpose through a padded tile, eight rows a thread column, with edges.
#include "check.h"

constexpr int kTile = 32, kRows = 8;

template <typename T>
__global__ void transpose(const T* __restrict__ in, T* __restrict__ out, int rows, int columns) {
  __shared__ T tile[kTile][kTile + 1];
  int x = blockIdx.x * kTile + threadIdx.x, y = blockIdx.y * kTile + threadIdx.y;
#pragma unroll
  for (int j = 0; j < kTile; j += kRows)
    if (x < columns && y + j < rows) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * columns + x];
  __syncthreads();
  x = blockIdx.y * kTile + threadIdx.x;
  y = blockIdx.x * kTile + threadIdx.y;
#pragma unroll
  for (int j = 0; j < kTile; j += kRows)
    if (x < rows && y + j < columns) out[(y + j) * rows + x] = tile[threadIdx.x][threadIdx.y + j];
}

int main() {
  const int rows = 71, columns = 45;
  std::vector<double> in(rows * columns), expected(rows * columns);
  for (int i = 0; i < rows * columns; ++i) in[i] = i, expected[(i % columns) * rows + i / columns] = i;
  DeviceArray<double> a(in), b(in.size());
  const dim3 grid((columns + kTile - 1) / kTile, (rows + kTile - 1) / kTile), block(kTile, kRows);
  transpose<<<grid, block>>>(a.data, b.data, rows, columns);
  expect_equal(b.get(), expected, "transposed");
  return pass();
}
