// SPDX-License-Identifier: Apache-2.0
// Pitched allocations and two-dimensional copies; rows found through bytes.
#include "check.h"

__global__ void double_rows(char* base, size_t pitch, int rows, int columns) {
  const int row = blockIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows && column < columns) reinterpret_cast<float*>(base + row * pitch)[column] *= 2.0f;
}

int main() {
  const int rows = 9, columns = 61;
  const std::vector<float> in = ramp(rows * columns);
  void* base = nullptr;
  size_t pitch = 0;
  CHECK(cudaMallocPitch(&base, &pitch, columns * sizeof(float), rows));
  if (pitch < columns * sizeof(float)) return std::printf("WRONG pitch %zu\n", pitch), 1;
  CHECK(cudaMemcpy2D(base, pitch, in.data(), columns * sizeof(float), columns * sizeof(float), rows,
                     cudaMemcpyHostToDevice));
  double_rows<<<dim3((columns + 31) / 32, rows), 32>>>(static_cast<char*>(base), pitch, rows, columns);
  std::vector<float> out(in.size()), expected;
  CHECK(cudaMemcpy2D(out.data(), columns * sizeof(float), base, pitch, columns * sizeof(float), rows,
                     cudaMemcpyDeviceToHost));
  for (float value : in) expected.push_back(2.0f * value);
  expect_equal(out, expected, "doubled");
  CHECK(cudaFree(base));
  return pass();
}
