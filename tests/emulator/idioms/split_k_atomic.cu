// SPDX-License-Identifier: Apache-2.0
// A matrix-vector product whose inner axis is split over the grid; parts meet by atomicAdd on floats and doubles.
#include "check.h"

template <typename T>
__global__ void product(const T* matrix, const T* vector, T* out, int rows, int columns) {
  const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / warpSize, lane = threadIdx.x % warpSize;
  if (warp >= rows) return;
  const int length = (columns + gridDim.y - 1) / gridDim.y, first = blockIdx.y * length;
  T sum = 0;
  for (int i = first + lane; i < min(first + length, columns); i += warpSize)
    sum += matrix[warp * columns + i] * vector[i];
  for (int step = warpSize / 2; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step);
  if (lane == 0) atomicAdd(&out[warp], sum);
}

template <typename T>
void run(const char* what) {
  const int rows = 19, columns = 1003;
  const std::vector<float> matrix = ramp(rows * columns), vector = ramp(columns, 0.03f, -3.0f);
  DeviceArray<T> a(std::vector<T>(matrix.begin(), matrix.end())), x(std::vector<T>(vector.begin(), vector.end()));
  DeviceArray<T> y(std::vector<T>(rows, T(1)));
  product<<<dim3((rows + 3) / 4, 5), 128>>>(a.data, x.data, y.data, rows, columns);
  std::vector<double> expected(rows, 1.0);
  for (int i = 0; i < rows * columns; ++i) expected[i / columns] += double(matrix[i]) * vector[i % columns];
  const std::vector<T> got = y.get();
  expect_near(std::vector<float>(got.begin(), got.end()), expected, 1e-4, what);
}

int main() {
  run<float>("float");
  run<double>("double");
  return pass();
}
