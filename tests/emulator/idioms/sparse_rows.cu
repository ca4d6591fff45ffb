// SPDX-License-Identifier: Apache-2.0
// A sparse matrix in compressed rows times a dense one; tiles of four lanes a row, read through __ldg.
#include "check.h"

template <int kLanes>
__global__ void sparse_product(const int* __restrict__ starts, const int* __restrict__ columns,
                               const float* __restrict__ values, const float* __restrict__ dense, float* out, int rows,
                               int width) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / kLanes, lane = threadIdx.x % kLanes;
  const unsigned int mask = ((1u << kLanes) - 1) << (threadIdx.x % 32 / kLanes * kLanes);
  for (int column = 0; column < width; ++column) {
    float sum = 0;
    if (row < rows)
      for (int i = __ldg(starts + row) + lane; i < __ldg(starts + row + 1); i += kLanes)
        sum += __ldg(values + i) * __ldg(dense + columns[i] * width + column);
    for (int step = kLanes / 2; step > 0; step /= 2) sum += __shfl_down_sync(mask, sum, step, kLanes);
    if (row < rows && lane == 0) out[row * width + column] = sum;
  }
}

int main() {
  const int rows = 37, inner = 50, width = 5;
  std::vector<int> starts = {0}, columns;
  std::vector<float> values;
  const std::vector<float> dense = ramp(inner * width);
  std::vector<double> expected(rows * width, 0.0);
  for (int row = 0; row < rows; ++row) {
    for (int column = row % 3; column < inner; column += 1 + row % 7) {
      columns.push_back(column);
      values.push_back(0.25f * float(row - column));
      for (int j = 0; j < width; ++j) expected[row * width + j] += values.back() * double(dense[column * width + j]);
    }
    starts.push_back(int(columns.size()));
  }
  DeviceArray<int> s(starts), c(columns);
  DeviceArray<float> v(values), d(dense), out(rows * width);
  sparse_product<4><<<(rows * 4 + 63) / 64, 64>>>(s.data, c.data, v.data, d.data, out.data, rows, width);
  expect_near(out.get(), expected, 1e-5, "product");
  return pass();
}
